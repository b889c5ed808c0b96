import { readFile } from 'node:fs/promises';
import { beforeAfterModel, formatRate, renderHtml, renderText } from '@plumbline/analysis';
import { canMakeLab } from '@plumbline/lab';
import { type Api, apiOf } from '../connection/api.js';
import type { CommandContext } from '../context.js';
import { Failure, sentenceOf } from '../failure.js';
import { writeFailure } from '../output/failure-text.js';
import { ProgressLine } from '../output/progress-line.js';
import { wrap } from '../output/table.js';
import { styled } from '../output/terminal.js';
import type { Stack } from '../stack/stack.js';
import type { Ground } from './ground.js';
import { labGround } from './lab-ground.js';
import { cancelLeftRuns } from './left-runs.js';
import { loopbackGround } from './loopback-ground.js';
import { type Measured, measure } from './measure.js';
import { startDemoProbe } from './probe-process.js';
import { PATH, registerAll, SITE } from './register.js';
import { writeReport } from './report-file.js';

export interface Demonstration {
  readonly succeeded: boolean;
  /** What to type to run more over the same path, while everything stays up; empty when there is nothing. */
  readonly goOn: string;
  /** Takes probes and lab away. */
  end(): Promise<void>;
}

/** What was set up, to be taken away in reverse order. */
type CleanUp = (() => Promise<void>)[];

/**
 * Shows Plumbline's main job on this machine, through its own API like any user: a flow that a small receive window holds
 * back, the change, and the same flow after it. Never throws: a failure is told, and `succeeded` is false.
 */
export async function demonstrate(stack: Stack, context: CommandContext, signal: AbortSignal): Promise<Demonstration> {
  const cleanUp: CleanUp = [];
  const end = async (): Promise<void> => {
    // Ends with the list; a later step is taken although an earlier one failed.
    for (const undo of cleanUp.splice(0).reverse())
      await undo().catch((error: unknown) => context.err.write(`Left behind: ${sentenceOf(error)}\n`));
  };
  try {
    const { succeeded, plan } = await perform(stack, context, cleanUp, signal);
    return { succeeded, goOn: howToGoOn(stack, plan), end };
  } catch (error) {
    if (!signal.aborted) writeFailure(withNext(error), context.err, context.env);
    return { succeeded: false, goOn: '', end };
  }
}

async function perform(
  stack: Stack,
  context: CommandContext,
  cleanUp: CleanUp,
  signal: AbortSignal,
): Promise<{ succeeded: boolean; plan: string }> {
  const { out, err } = context;
  const token = (await readFile(stack.tokenFile, 'utf8')).trim();
  const api = apiOf({ server: stack.url, token }, stack.fetch);
  const line = new ProgressLine(err);
  line.update('preparing the demonstration');
  const left = await cancelLeftRuns(api, PATH, signal);
  if (left.length > 0) {
    line.clear();
    out.write(`Cancelled what the last start left on ${PATH}, which is made anew now: ${left.join(', ')}.\n`);
  }
  const ground = await prepareGround(stack.dataDir);
  cleanUp.push(() => ground.end());
  signal.throwIfAborted();
  await prepareProbes(api, ground, stack.dataDir, cleanUp, signal);
  line.clear();
  out.write(`${styled(out, 'bold', 'Demonstration')}: ${ground.description}.\n`);
  const before = await measureSide(api, ground, { label: 'before', plan: ground.plan }, context, line, signal);
  const change = await ground.change();
  out.write(`  change  ${change}\n`);
  const after = await measureSide(api, ground, { label: 'after', plan: ground.after.plan }, context, line, signal);
  const now = new Date();
  const model = beforeAfterModel({
    ...ground.report,
    notes: [...ground.report.notes, ...diagnosisNotes({ before, after })],
    path: { name: PATH, ...ground.path, rateLayer: ground.path.rateLayer ?? 'ip' },
    generatedAt: now.toISOString(),
    change,
    before: before.data,
    after: after.data,
  });
  const { file, latest } = await writeReport(stack.dataDir, renderHtml(model), now);
  out.write(`\n${renderText(model, { colour: out.colour, widthColumns: Math.min(out.columns(), 100) })}`);
  out.write(`\nReport: ${file}\n  also: ${latest}\n`);
  for (const { problem } of [before, after])
    if (problem !== undefined) writeFailure(new Failure(problem), err, context.env);
  return { succeeded: before.succeeded && after.succeeded, plan: ground.after.plan };
}

/** What the rules say of each run, for the report: its own verdict compares the two and knows less of each. */
const diagnosisNotes = (sides: Readonly<Record<'before' | 'after', Measured>>): string[] =>
  (['before', 'after'] as const).flatMap((side) => {
    const { headline } = sides[side];
    return headline === undefined ? [] : [`Diagnosis of the run ${side} the change: ${headline}.`];
  });

async function prepareGround(dataDir: string): Promise<Ground> {
  const capability = await canMakeLab();
  return capability.ok ? labGround(dataDir) : loopbackGround(capability.reason);
}

async function prepareProbes(
  api: Api,
  ground: Ground,
  dataDir: string,
  cleanUp: CleanUp,
  signal: AbortSignal,
): Promise<void> {
  // Both at once; when one fails, the other one is still waited for, so that it is stopped.
  const started = await Promise.allSettled(
    [ground.client, ground.server].map(async (host) => {
      const probe = await startDemoProbe(host, SITE, dataDir);
      cleanUp.push(() => probe.stop());
      return probe;
    }),
  );
  signal.throwIfAborted();
  const [client, server] = started.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  if (client === undefined || server === undefined) throw new Error('two probes were started');
  await registerAll(api, ground, { client, server }, signal);
}

async function measureSide(
  api: Api,
  ground: Ground,
  side: { label: 'before' | 'after'; plan: string },
  { out }: CommandContext,
  line: ProgressLine,
  signal: AbortSignal,
): Promise<Measured> {
  const label = side.label.padEnd(6);
  try {
    const measured = await measure(
      api,
      ground,
      side,
      ({ heading, news }) => line.update(`  ${label}  ${heading}`, news),
      signal,
    );
    line.clear();
    out.write(`  ${label}  ${formatRate(measured.data.throughputBps)}\n`);
    if (measured.headline !== undefined) out.write(wrap(measured.headline, out.columns(), ' '.repeat(10)));
    return measured;
  } finally {
    line.clear();
  }
}

const withNext = (error: unknown): unknown =>
  error instanceof Error && error.name === 'LabError'
    ? new Failure(`The lab: ${error.message}.`, { cause: error })
    : error;

function howToGoOn(stack: Stack, plan: string): string {
  return (
    'The path and its probes stay up while this runs. In another terminal:\n' +
    `  export PLUMBLINE_SERVER=${stack.url} PLUMBLINE_TOKEN_FILE=${stack.tokenFile}\n` +
    `  plumb run ${plan} --path ${PATH}\n`
  );
}
