import { Command } from 'commander';
import { z } from 'zod';
import { type Api, connect } from '../connection/api.js';
import type { BuildCommand, CommandContext } from '../context.js';
import { EXIT, type ExitCode, usage } from '../failure.js';
import { collect, connected, printsData, wholeNumber } from '../input/options.js';
import { printJson } from '../output/print.js';
import { ProgressLine } from '../output/progress-line.js';
import { followRun } from '../runs/follow.js';
import { printRun } from '../runs/run-text.js';
import { onInterruption } from '../stack/interruption.js';
import { PrintsData } from './flags.js';
import { addRunRecords } from './run-records.js';

const RunFlags = PrintsData.extend({
  path: z.array(z.string()).optional(),
  label: z.string().optional(),
  priority: z.number().optional(),
  watch: z.boolean().default(false),
  wait: z.boolean().default(true),
});
type RunFlags = z.output<typeof RunFlags>;

export const runCommand: BuildCommand = (context) => {
  const run = printsData(connected(new Command('run')))
    .description(
      'With a plan: runs it over one or more paths, waits, and shows the result.\n' +
        'Exit code 0: it succeeded and no criterion was missed.',
    )
    .enablePositionalOptions()
    .argument('[plan]', 'name of the plan')
    .option('--path <name>', 'a path to run it over (may be repeated)', collect)
    .option('--label <text>', 'words to find the run by')
    .option('--priority <number>', 'higher goes first (0 to 100)', wholeNumber(0, 100))
    .option('--watch', 'show progress also where it is no terminal')
    .option('--no-wait', 'print the id and leave')
    .addHelpText('after', EXAMPLES)
    .action(async (plan: string | undefined, raw: unknown) => {
      const flags = RunFlags.parse(raw);
      if (plan === undefined || flags.path === undefined)
        throw usage(
          'A run needs a plan and at least one path.',
          'plumb run PLAN --path PATH (plumb plan list, plumb path list)',
        );
      const api = await connect(flags, context);
      const id = await createRun(api, plan, flags.path, flags);
      context.endWith(flags.wait ? await waitFor(api, id, flags, context) : announce(id, flags, context));
    });
  addRunRecords(run, context);
  return run;
};

const EXAMPLES = `
Examples:
  $ plumb run nightly --path berlin-paris
  $ plumb run nightly --path berlin-paris --path paris-berlin --no-wait
`;

async function createRun(api: Api, plan: string, paths: readonly string[], flags: RunFlags): Promise<string> {
  const body = { plan, paths: [...paths], label: flags.label, priority: flags.priority };
  const { id } = await api.ask(`Starting a run of ${plan}`, api.client.POST('/v1/runs', { body }), 'plumb plan list');
  return id;
}

function announce(id: string, flags: RunFlags, { out }: CommandContext): ExitCode {
  if (flags.json) printJson(out, { id });
  else out.write(`${id}\nNext: plumb run show ${id}\n`);
  return EXIT.ok;
}

async function waitFor(api: Api, id: string, flags: RunFlags, context: CommandContext): Promise<ExitCode> {
  const { out, err } = context;
  if (!flags.json) err.write(`run ${id}\n`);
  const line = new ProgressLine(err);
  const visible = flags.watch || err.isTty;
  using interruption = onInterruption();
  try {
    const run = await followRun(
      api,
      id,
      { show: ({ heading, news }) => visible && line.update(heading, news) },
      interruption.signal,
    );
    line.clear();
    if (flags.json) printJson(out, run);
    else printRun(run, out);
    return run.state === 'succeeded' && run.verdict !== 'fail' ? EXIT.ok : EXIT.failed;
  } catch (error) {
    line.clear();
    if (!interruption.signal.aborted) throw error;
    err.write(`The run goes on. Look at it: plumb run show ${id}   Stop it: plumb run cancel ${id}\n`);
    return EXIT.interrupted;
  }
}
