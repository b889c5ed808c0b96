import { formatTime } from '@plumbline/analysis';
import type { Attempt, Leg, Run, Step } from '@plumbline/api-client';
import { REASONS, type Reason, type StepReason, type StepState, type Verdict } from '@plumbline/model';
import { metricLabels, metricText, type ShownMetric, spreadText } from '../output/metric-text.js';
import { facts, table, wrap } from '../output/table.js';
import { type Style, styled, type Terminal } from '../output/terminal.js';
import { printFindings, printHeadlines, printNextStep } from './diagnosis-text.js';
import { counterLines, endLines } from './ends-text.js';

/** What this room shows of a run document. */
export type ShownRun = Pick<
  Run,
  'id' | 'state' | 'verdict' | 'label' | 'createdAt' | 'startedAt' | 'endedAt' | 'reparsed' | 'legs'
> & {
  readonly plan: Pick<Run['plan'], 'name' | 'version'>;
};

export const STATE_STYLE: Readonly<Record<StepState, Style | undefined>> = {
  queued: 'dim',
  running: 'cyan',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  skipped: 'dim',
};
export const VERDICT_STYLE: Readonly<Record<Verdict, Style | undefined>> = {
  pass: 'green',
  fail: 'red',
  inconclusive: 'yellow',
  none: 'dim',
};
const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  pass: 'pass',
  fail: 'fail',
  inconclusive: 'inconclusive',
  none: 'none (the plan has no criteria)',
};

/** A run for people: what it says of the path first, what became of it, then the numbers of each step. With `all` also the causes that do not hold. */
export function printRun(run: ShownRun, out: Terminal, all = false): void {
  printHeadlines(run.id, run.legs, out);
  out.write(
    `${styled(out, STATE_STYLE[run.state], run.state)}, verdict ${styled(out, VERDICT_STYLE[run.verdict], VERDICT_TEXT[run.verdict])}\n`,
  );
  out.write(
    facts([
      ['run', run.id],
      ['plan', planText(run.plan)],
      ['label', run.label ?? undefined],
      ['asked for', formatTime(run.createdAt)],
      ['took', took(run.startedAt, run.endedAt)],
      ['read again', run.reparsed && `${formatTime(run.reparsed.at)}, by Plumbline ${run.reparsed.version}`],
    ]),
  );
  for (const [i, leg] of run.legs.entries()) printLeg(leg, i, all, out);
  printNextStep(run.id, run.legs, out);
}

/** `name version 3`, or that the plan came with the request. */
export const planText = (plan: ShownRun['plan']): string =>
  plan.name ? `${plan.name}${plan.version ? ` version ${plan.version}` : ''}` : '(given with the run)';

/** Seconds between two times, when both are known. */
export function took(startedAt: string | null | undefined, endedAt: string | null | undefined): string | undefined {
  if (!startedAt || !endedAt) return undefined;
  const ms = Date.parse(endedAt) - Date.parse(startedAt);
  return Number.isFinite(ms) ? `${(ms / 1000).toFixed(1)} s` : undefined;
}

function printLeg(leg: Leg, index: number, all: boolean, out: Terminal): void {
  out.write(`\n${styled(out, 'bold', `leg ${index}`)}  ${leg.path}  ${state(leg, out)}\n`);
  why(leg, out, '  ');
  // The text says the verdict itself.
  for (const c of leg.criteria) out.write(styled(out, VERDICT_STYLE[c.verdict], wrap(c.text, out.columns(), '  ')));
  for (const [i, step] of leg.steps.entries()) printStep(step, i, all, out);
}

function printStep(step: Step, index: number, all: boolean, out: Terminal): void {
  const name = step.name && step.name !== step.kind ? `${step.kind} (${step.name})` : step.kind;
  out.write(`\n  ${styled(out, 'bold', `step ${index}`)}  ${name}  ${state(step, out)}\n`);
  why(step, out, '    ');
  printBadAttempts(step.attempts, out);
  printFindings(step, all, out);
  printMetrics(step, out);
  for (const line of [...endLines(step.attempts), ...counterLines(step.attempts)])
    out.write(wrap(line, out.columns(), '    '));
}

/** Those that did not complete, the same words once; then what a partial one had measured, and what was noted of any. */
function printBadAttempts(attempts: readonly Attempt[], out: Terminal): void {
  const numbers = new Map<string, number[]>();
  for (const attempt of attempts)
    if (attempt.outcome !== 'completed') {
      const text = endingText(attempt);
      numbers.set(text, [...(numbers.get(text) ?? []), attempt.n]);
    }
  for (const [text, which] of numbers)
    out.write(wrap(`attempt${which.length > 1 ? 's' : ''} ${which.join(', ')} ${text}`, out.columns(), '    '));
  for (const attempt of attempts) {
    const kept = attempt.outcome === 'partial' ? attempt.metrics.filter(({ value }) => value !== null) : [];
    if (kept.length > 0) out.write(`    measured by attempt ${attempt.n} until then:\n${metricTable(kept, out)}`);
    for (const note of attempt.notes) out.write(wrap(`attempt ${attempt.n}: ${note}`, out.columns(), '    '));
  }
}

function endingText(attempt: Attempt): string {
  const ending = attempt.outcome === null ? 'running' : `${attempt.outcome}: ${attempt.reason ?? 'no reason'}`;
  const text = attempt.reason === undefined ? '' : ` ${REASONS[attempt.reason].text}`;
  return `${ending}.${text} ${attempt.detail ?? ''}`;
}

/** What is unknown only because attempts failed is said by their reasons already: not once more a metric. */
function printMetrics({ metrics }: Step, out: Terminal): void {
  const shown = metrics.filter(({ reason }) => reason !== 'attempt-failed');
  if (shown.length > 0) out.write(metricTable(shown, out));
}

const state = ({ state: s, reason }: { state: StepState; reason?: string | undefined }, out: Terminal): string =>
  `${styled(out, STATE_STYLE[s], s)}${reason === undefined ? '' : `: ${reason}`}`;

const STEP_REASONS: Readonly<Record<Exclude<StepReason, Reason>, string>> = {
  'earlier-step-failed': 'An earlier step failed, and it says onFailure: stop.',
  'run-cancelled': 'The run was cancelled before this was its turn.',
  'some-attempts-failed': 'Some of its attempts failed; the numbers are those of the others.',
};

/** What a reason means and what to do. */
export const reasonText = (reason: StepReason): string =>
  isReason(reason) ? REASONS[reason].text : STEP_REASONS[reason];
const isReason = (reason: StepReason): reason is Reason => Object.hasOwn(REASONS, reason);

function why(
  { reason, detail }: { reason?: StepReason | undefined; detail?: string | undefined },
  out: Terminal,
  indent: string,
): void {
  if (reason !== undefined) out.write(wrap(`${reasonText(reason)} ${detail ?? ''}`, out.columns(), indent));
}

function metricTable(metrics: readonly ShownMetric[], out: Terminal): string {
  const labelled = metrics.some((m) => metricLabels(m) !== '');
  const repeated = metrics.some((m) => spreadText(m) !== '');
  const text = table(
    { colour: out.colour, columns: () => out.columns() - 4 },
    [
      { title: 'metric' },
      ...(labelled ? [{ title: 'labels', flexible: true }] : []),
      { title: 'value', flexible: true },
      ...(repeated ? [{ title: 'lowest to highest', flexible: true }] : []),
    ],
    metrics.map((m) => [
      m.name,
      ...(labelled ? [metricLabels(m)] : []),
      m.value === null ? { text: metricText(m), style: 'dim' as const } : metricText(m),
      ...(repeated ? [spreadText(m)] : []),
    ]),
  );
  return text.replace(/^(?=.)/gm, '    ');
}
