import type { Reparse } from '@plumbline/api-client';
import { Command } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { BuildCommand, CommandContext } from '../context.js';
import { connected, printsData, wholeNumber } from '../input/options.js';
import { printJson } from '../output/print.js';
import { table } from '../output/table.js';
import { PrintsData } from './flags.js';

const ReparseFlags = PrintsData.extend({
  leg: z.number(),
  step: z.number(),
  attempt: z.number(),
  store: z.boolean().default(false),
});

export const reparseCommand: BuildCommand = (context) =>
  printsData(connected(new Command('reparse')))
    .description(
      "Reads an attempt's stored output again, with the parsers of the control plane's version, and shows what they tell\notherwise than the record.",
    )
    .argument('<run>', 'id of the run')
    .option('--leg <n>', 'which leg', wholeNumber(0, 10_000), 0)
    .option('--step <n>', 'which step', wholeNumber(0, 10_000), 0)
    .option('--attempt <n>', 'which attempt', wholeNumber(0, 10_000), 0)
    .option('--store', 'change the record to the new reading, and what follows from it')
    .action(async (id: string, raw: unknown) => {
      const { leg, step, attempt, store, ...flags } = ReparseFlags.parse(raw);
      const api = await connect(flags, context);
      const reparsed = await api.ask(
        'Reading the attempt again',
        api.client.POST('/v1/runs/{id}/legs/{leg}/steps/{step}/attempts/{attempt}/reparse', {
          params: { path: { id, leg, step, attempt } },
          body: { store },
        }),
        `plumb run show ${id}`,
      );
      if (flags.json) printJson(context.out, reparsed);
      else printReparse(reparsed, context);
    });

function printReparse({ differences, moreDifferences, stored }: Reparse, { out }: CommandContext): void {
  if (differences.length === 0) out.write('The new reading is the same as the record.\n');
  else
    out.write(
      table(
        out,
        [
          { title: 'what', flexible: true },
          { title: 'record', flexible: true },
          { title: 'new reading', flexible: true },
        ],
        differences.map(({ path, before, after }) => [path, shown(before), shown(after)]),
      ),
    );
  if (moreDifferences > 0) out.write(`and ${moreDifferences} more differences\n`);
  if (stored) out.write('The record is now the new reading.\n');
  else if (differences.length > 0)
    out.write('Nothing was changed. Keep the new reading: the same command with --store\n');
}

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value).slice(0, 200);
