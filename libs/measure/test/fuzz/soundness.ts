import { type Ending, Metric, REASONS } from '@plumbline/model';
import type { Reading } from '../../src/ability.js';
import type { MetricFact } from '../../src/metric-fact.js';

/** Metrics that count things: whole numbers below 2^53. */
const COUNTS = ['segments', 'packets', 'count'];
/** Ratios of a part to its whole; the others (cpu, buffer-delay, transfer-time-ratio, ratio-to-...) may exceed 1. */
const SHARES = /^(loss|hop\.loss|hop\.unanswered|hop\.r2|fairness|limited\..*|port\..*|black-hole)$/;
/** Differences of times may be negative. */
const SIGNED = /^buffer-delay$/;
const LONGEST_NOTE = 2_000;

/** What is wrong with a reading, whatever was read: nothing, for a sound one. */
export function problemsOf(reading: Reading, facts: readonly MetricFact[], headline: string | undefined): string[] {
  const { ending, metrics, result, notes } = reading;
  const problems = [...endingProblems(ending), ...metrics.flatMap((metric) => metricProblems(metric, facts))];
  const withValue = metrics.filter(({ value }) => value !== null);
  if (ending.outcome !== 'completed' && ending.outcome !== 'partial' && withValue.length > 0)
    problems.push(`${ending.outcome}, and yet ${withValue[0]?.name} has a value`);
  if (headline !== undefined && ending.outcome === 'completed' && !withValue.some(({ name }) => name === headline))
    problems.push(`completed without ${headline}`);
  const names = metrics.map(({ name, labels }) => `${name} ${JSON.stringify(Object.entries(labels ?? {}).sort())}`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) problems.push(`${twice} is there twice`);
  problems.push(...oddNumbers(result, 'result'));
  if (notes.some((note) => note.length > LONGEST_NOTE)) problems.push('a note without end');
  return problems;
}

function endingProblems(ending: Ending): string[] {
  if (ending.outcome === 'completed') return [];
  const { reason, outcome } = ending;
  if (!Object.hasOwn(REASONS, reason)) return [`${reason} is no reason`];
  return REASONS[reason].outcome === outcome
    ? []
    : [`${reason} belongs to ${REASONS[reason].outcome}, not to ${outcome}`];
}

function metricProblems(metric: Metric, facts: readonly MetricFact[]): string[] {
  const { name, value, unit, reason } = metric;
  const fact = facts.find((one) => one.name === name);
  const problems: string[] = [];
  const wrong = (what: string): number => problems.push(`${name} ${what}`);
  if (!Metric.safeParse(metric).success) wrong(`is no metric: ${JSON.stringify(metric)}`);
  if (!fact) wrong('is not in the catalogue');
  else if (fact.unit !== unit) wrong(`is in ${unit}, not in ${fact.unit}`);
  if (value === null) {
    if (reason === undefined) wrong('is null without a reason');
    return problems;
  }
  if (reason !== undefined) wrong('has a value and a reason for none');
  if (!Number.isFinite(value)) wrong(`is ${value}`);
  if (value < 0 && !SIGNED.test(name)) wrong(`is negative: ${value}`);
  if (SHARES.test(name) && (value < 0 || value > 1)) wrong(`is no share: ${value}`);
  if (COUNTS.includes(unit) && !Number.isSafeInteger(value)) wrong(`is no count: ${value}`);
  return problems;
}

/** Numbers that JSON cannot carry, wherever they are. */
export function oddNumbers(value: unknown, path: string): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path} is ${value}`];
  if (typeof value === 'bigint' || typeof value === 'function') return [`${path} is a ${typeof value}`];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => oddNumbers(each, `${path}.${key}`));
}
