import type { Rediagnosis } from '@plumbline/api-client';
import type { Finding, FindingChange } from '@plumbline/model';
import { Command } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { BuildCommand, CommandContext } from '../context.js';
import { connected, printsData } from '../input/options.js';
import { printJson } from '../output/print.js';
import { table } from '../output/table.js';
import { styled } from '../output/terminal.js';
import { figures, findingName, printFindings, printHeadline } from '../runs/diagnosis-text.js';
import { PrintsData } from './flags.js';

const DiagnoseFlags = PrintsData.extend({ store: z.boolean().default(false), all: z.boolean().default(false) });

export const diagnoseCommand: BuildCommand = (context) =>
  printsData(connected(new Command('diagnose')))
    .description(
      "Says again what limits the flows of an ended run, from its stored facts and by the rules of the control plane's version,\nand what they now see otherwise than the record.",
    )
    .argument('<run>', 'id of the run')
    .option('--all', 'also the causes that do not hold, and the figures of each')
    .option('--store', 'change the record to the new diagnosis')
    .action(async (id: string, raw: unknown) => {
      const { store, all, ...flags } = DiagnoseFlags.parse(raw);
      const api = await connect(flags, context);
      const again = await api.ask(
        'Diagnosing the run again',
        api.client.POST('/v1/runs/{id}/diagnosis', { params: { path: { id } }, body: { store } }),
        `plumb run show ${id}`,
      );
      if (flags.json) printJson(context.out, again);
      else printRediagnosis(again, all, context);
    });

function printRediagnosis({ legs, ruleSet, stored }: Rediagnosis, all: boolean, { out }: CommandContext): void {
  for (const leg of legs) {
    out.write(`${styled(out, 'bold', `leg ${leg.leg}`)}  ${leg.path}\n`);
    if (!leg.after) out.write('  nothing of it was attempted\n');
    printHeadline({ diagnosis: leg.after }, out);
    for (const [step, findings] of leg.findings.entries()) {
      if (findings.length > 0) out.write(`  step ${step}\n`);
      printFindings({ findings }, all, out);
    }
    if (leg.changes.length > 0) out.write(changeTable(leg.changes, out));
    const older = leg.before ? `the record (rules of ${leg.before.ruleSet})` : 'the record, which has no diagnosis';
    out.write(`  ${leg.changes.length} findings differ from ${older}\n\n`);
  }
  const changed = legs.some(({ changes }) => changes.length > 0);
  if (stored) out.write(`The record is now what the rules of ${ruleSet} say.\n`);
  else if (changed)
    out.write(`Nothing was changed. Keep what the rules of ${ruleSet} say: the same command with --store\n`);
}

const changeTable = (changes: readonly FindingChange[], out: CommandContext['out']): string =>
  table(
    out,
    [{ title: 'step' }, { title: 'finding' }, { title: 'record', flexible: true }, { title: 'now', flexible: true }],
    changes.map((change) => [String(change.step), findingName(change), shown(change.before), shown(change.after)]),
  );

const shown = (finding: Finding | undefined): string => (finding ? `${finding.holds}: ${figures(finding)}` : '');
