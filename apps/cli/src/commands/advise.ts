import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Advice } from '@plumbline/api-client';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { BuildCommand, CommandContext } from '../context.js';
import { sentenceOf, usage } from '../failure.js';
import { connected, printsData, wholeNumber } from '../input/options.js';
import { printJson } from '../output/print.js';
import { wrap } from '../output/table.js';
import { styled } from '../output/terminal.js';
import { PrintsData } from './flags.js';

const AdviseFlags = PrintsData.extend({
  leg: z.number(),
  end: z.enum(['source', 'destination']).optional(),
  out: z.string().optional(),
});
type HostAdvice = Advice['hosts'][number];

export const adviseCommand: BuildCommand = (context) =>
  printsData(connected(new Command('advise')))
    .description(
      'Says what to change at the two ends of a path, from what a run found: the file to install, how to undo it, what not to do,\nand who can act where no setting of the hosts helps. Changes nothing by itself.',
    )
    .argument('<run>', 'id of the run')
    .option('--leg <n>', 'which leg', wholeNumber(0, 10_000), 0)
    .addOption(new Option('--end <end>', 'only one end of the path').choices(['source', 'destination']))
    .option('--out <dir>', 'write the files there, each in a folder of its end')
    .action(async (id: string, raw: unknown) => {
      const { leg, end, out, ...flags } = AdviseFlags.parse(raw);
      const api = await connect(flags, context);
      const whole = await api.ask(
        'Asking for advice',
        api.client.GET('/v1/runs/{id}/legs/{leg}/advice', { params: { path: { id, leg } } }),
        `plumb run show ${id}`,
      );
      const advice = end === undefined ? whole : { ...whole, hosts: whole.hosts.filter((host) => host.end === end) };
      if (flags.json) printJson(context.out, advice);
      else printAdvice(advice, context);
      if (out !== undefined) await writeFiles(advice, out, context);
    });

function printAdvice({ summary, target, hosts, requests }: Advice, { out }: CommandContext): void {
  out.write(styled(out, 'bold', wrap(summary, out.columns())));
  if (target)
    out.write(
      `made for ${Math.round(target.rateBps / 1e5) / 10} Mbit/s over ${Math.round(target.rttMs * 10) / 10} ms: ${Math.round(target.bdpBytes / 1000)} kB in flight\n`,
    );
  for (const host of hosts) printHost(host, out);
  for (const { code, who, ask } of requests) {
    out.write(`\n${styled(out, 'bold', who)}  (${code})\n`);
    out.write(wrap(ask, out.columns(), '  '));
  }
}

function printHost(host: HostAdvice, out: CommandContext['out']): void {
  if (!host.file && host.missing.length === 0) return;
  out.write(`\n${styled(out, 'bold', host.end)}  probe ${host.probe}\n`);
  for (const fact of host.missing) out.write(styled(out, 'yellow', wrap(`not known: ${fact}`, out.columns(), '  ')));
  if (!host.file) return;
  out.write(`  ${host.file.path}\n${host.file.text.replace(/^(?=.)/gm, '    ')}`);
  for (const command of host.apply) out.write(`  apply  ${command}\n`);
  for (const command of host.undo) out.write(`  undo   ${command}\n`);
  for (const { key, costBytes } of host.changes)
    if (costBytes !== undefined)
      out.write(
        wrap(
          `${key}: up to ${Math.round(costBytes / 1000)} kB of memory a connection, when it needs it`,
          out.columns(),
          '  ',
        ),
      );
  for (const caution of host.cautions) out.write(styled(out, 'dim', wrap(caution, out.columns(), '  ')));
}

async function writeFiles({ hosts, path }: Advice, folder: string, { err }: CommandContext): Promise<void> {
  for (const { end, file } of hosts) {
    if (!file) continue;
    const place = join(folder, end);
    const name = join(place, `90-plumbline-${path}.conf`);
    try {
      await mkdir(place, { recursive: true });
      await writeFile(name, file.text);
    } catch (error) {
      throw usage(`${name} cannot be written: ${sentenceOf(error)}`, 'plumb advise RUN --out ./advice');
    }
    err.write(`${name}\n`);
  }
}
