import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { formatTime } from '@plumbline/analysis';
import type { Run, RunSummary } from '@plumbline/api-client';
import type { Command } from 'commander';
import { z } from 'zod';
import { type Api, connect } from '../connection/api.js';
import type { CommandContext } from '../context.js';
import { sentenceOf, usage } from '../failure.js';
import { connected, printsData, wholeNumber } from '../input/options.js';
import { printJson } from '../output/print.js';
import { table } from '../output/table.js';
import { planText, printRun, STATE_STYLE, VERDICT_STYLE } from '../runs/run-text.js';
import { onInterruption } from '../stack/interruption.js';
import { Connected, PrintsData } from './flags.js';
import { addList, addShow, type Resource } from './resource.js';

/** What was run: `plumb run list|show|cancel|events|artifacts|raw`. */
export function addRunRecords(run: Command, context: CommandContext): void {
  addList(run, RUNS, context);
  addShow(run, RUNS, context, 'id');
  addCancel(run, context);
  addEvents(run, context);
  addArtifacts(run, context);
  addRaw(run, context);
}

const RUNS: Resource<Run, RunSummary> = {
  noun: 'run',
  plural: 'runs',
  first: 'plumb run PLAN --path PATH',
  columns: [
    { title: 'id' },
    { title: 'state' },
    { title: 'verdict' },
    { title: 'plan', flexible: true },
    { title: 'paths', flexible: true },
    { title: 'asked for' },
    { title: 'label', flexible: true },
  ],
  row: (r) => [
    r.id,
    { text: r.state, style: STATE_STYLE[r.state] ?? 'dim' },
    { text: r.verdict, style: VERDICT_STYLE[r.verdict] ?? 'dim' },
    planText(r.plan),
    r.paths.join(' '),
    formatTime(r.createdAt),
    r.label ?? '',
  ],
  list: (api, query) => api.ask('Listing runs', api.client.GET('/v1/runs', { params: { query } })),
  get: (api, id) =>
    api.ask('Showing the run', api.client.GET('/v1/runs/{id}', { params: { path: { id } } }), 'plumb run list'),
  print: printRun,
  more: 'also the causes that do not hold, and the figures of each',
};

function addCancel(run: Command, context: CommandContext): void {
  connected(run.command('cancel'))
    .argument('<id>')
    .summary('stop a run at both ends now')
    .description('Stops a run at both ends now.')
    .action(async (id: string, raw: unknown) => {
      const api = await connect(Connected.parse(raw), context);
      const { state } = await api.ask(
        'Cancelling the run',
        api.client.POST('/v1/runs/{id}/cancel', { params: { path: { id } } }),
        'plumb run list',
      );
      context.out.write(`The run ${id} is ${state}.\n`);
    });
}

const EventsFlags = PrintsData.extend({ after: z.number().optional() });

function addEvents(run: Command, context: CommandContext): void {
  connected(run.command('events'))
    .argument('<id>')
    .summary('print what happens in a run, one JSON line an event')
    .description('Prints the events of a run, one JSON line each, from the first to the last; waits for those to come.')
    .option('--json', 'the same: events are JSON in any case, one a line')
    .option('--after <event>', 'only events after this one', wholeNumber(0, 2 ** 31 - 1))
    .action(async (id: string, raw: unknown) => {
      const flags = EventsFlags.parse(raw);
      const api = await connect(flags, context);
      using interruption = onInterruption();
      const { signal } = interruption;
      try {
        // Ends with the run, or with Ctrl-C.
        for await (const message of api.events(id, { after: flags.after, signal }))
          context.out.write(`${JSON.stringify({ id: message.id, event: message.event, ...message.data })}\n`);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
}

const AttemptFlags = PrintsData.extend({ leg: z.number(), step: z.number(), attempt: z.number() });
const RawFlags = AttemptFlags.extend({ artifact: z.string().optional(), output: z.string().optional() });

const ofAttempt = (command: Command): Command =>
  command
    .argument('<id>')
    .option('--leg <n>', 'which leg', wholeNumber(0, 10_000), 0)
    .option('--step <n>', 'which step', wholeNumber(0, 10_000), 0)
    .option('--attempt <n>', 'which attempt', wholeNumber(0, 10_000), 0);

const attemptPath = (id: string, { leg, step, attempt }: z.output<typeof AttemptFlags>) => ({ id, leg, step, attempt });

function addArtifacts(run: Command, context: CommandContext): void {
  printsData(connected(ofAttempt(run.command('artifacts'))))
    .summary('list what the programs of an attempt left')
    .description('Lists the bytes that the programs of an attempt left.')
    .action(async (id: string, raw: unknown) => {
      const flags = AttemptFlags.parse(raw);
      const api = await connect(flags, context);
      const list = await api.ask(
        'Listing artifacts',
        api.client.GET('/v1/runs/{id}/legs/{leg}/steps/{step}/attempts/{attempt}/artifacts', {
          params: { path: attemptPath(id, flags) },
        }),
        `plumb run show ${id}`,
      );
      if (flags.json) return printJson(context.out, list);
      context.out.write(
        table(
          context.out,
          [
            { title: 'name', flexible: true },
            { title: 'end' },
            { title: 'tool' },
            { title: 'stream' },
            { title: 'bytes', align: 'right' },
          ],
          list.items.map((a) => [a.name, a.end, a.tool, a.stream, String(a.sizeBytes)]),
        ),
      );
    });
}

function addRaw(run: Command, context: CommandContext): void {
  connected(ofAttempt(run.command('raw')))
    .summary('print what the measuring program printed, byte for byte')
    .description("Prints the measuring client's output byte for byte, or another artifact.")
    .option('--artifact <name>', 'another artifact than the client output (plumb run artifacts)')
    .option('-o, --output <file>', 'into a file; needed at a terminal for anything but text')
    .action(async (id: string, raw: unknown) => {
      const flags = RawFlags.parse(raw);
      const api = await connect(flags, context);
      const bytes = Buffer.from(await rawBytes(api, id, flags));
      if (flags.output !== undefined) {
        const file = resolve(context.cwd, flags.output);
        await writeFile(file, bytes).catch((error: unknown) => {
          throw usage(`${file} cannot be written: ${sentenceOf(error)}.`, '-o FILE');
        });
        return context.err.write(`${bytes.length} bytes in ${file}\n`);
      }
      if (context.out.isTty && !isText(bytes))
        throw usage('These bytes are no text; a terminal could do anything with them.', `plumb run raw ${id} -o FILE`);
      context.out.write(bytes);
    });
}

function rawBytes(api: Api, id: string, flags: z.output<typeof RawFlags>): Promise<ArrayBuffer> {
  const path = attemptPath(id, flags);
  const next = `plumb run artifacts ${id} --leg ${flags.leg} --step ${flags.step} --attempt ${flags.attempt}`;
  return flags.artifact === undefined
    ? api.ask(
        'Reading the output',
        api.client.GET('/v1/runs/{id}/legs/{leg}/steps/{step}/attempts/{attempt}/raw', {
          params: { path },
          parseAs: 'arrayBuffer',
        }),
        next,
      )
    : api.ask(
        `Reading ${flags.artifact}`,
        api.client.GET('/v1/runs/{id}/legs/{leg}/steps/{step}/attempts/{attempt}/artifacts/{artifact}', {
          params: { path: { ...path, artifact: flags.artifact } },
          parseAs: 'arrayBuffer',
        }),
        next,
      );
}

/** UTF-8 without control characters other than line ends and tabs. */
function isText(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return !/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]/.test(text);
}
