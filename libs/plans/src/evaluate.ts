import { payloadRateBps } from '@plumbline/measure';
import type { CriterionResult, Labels, Metric, Path, Verdict } from '@plumbline/model';
import { combineVerdicts } from '@plumbline/model';
import { type Criterion, type Symbolic, symbolOf } from './criterion.js';
import { formatValue } from './format.js';
import type { AttemptResult } from './kind.js';
import type { Test } from './kinds/list.js';
import { testsMeant } from './plan.js';
import { type RepeatMetrics, repeatsOf, valuesByRepeat } from './repeat-values.js';

/** A step as it ended: its test, its metrics (medians) and those of its attempts. */
export interface MeasuredStep {
  readonly test: Test;
  readonly metrics: readonly Metric[];
  readonly results: readonly AttemptResult[];
}

/** What values are compared with. `baselineOf` gives the baseline's value of the same metric; absent: there is no baseline. */
export interface References {
  readonly path: Path;
  readonly baselineOf?: (test: Test, metric: Metric) => number | null | undefined;
}

/** One comparison: what was measured, the limit, and what came of it. */
interface Comparison {
  readonly metric: Metric;
  readonly measured: number | null;
  readonly limit: number | null;
  readonly verdict: Verdict;
  readonly because?: string;
}

/**
 * Judges every criterion of a leg. A metric that is null, a step that never ran, or a reference that is not known makes a
 * criterion inconclusive, never passed. Where several metrics are meant, each must hold and the worst is shown.
 */
export function evaluate(
  criteria: readonly Criterion[],
  steps: readonly MeasuredStep[],
  references: References,
): CriterionResult[] {
  const byRepeat = repeatsOf();
  return criteria.map((criterion, index) => {
    const comparisons = comparisonsOf(criterion, steps, references, byRepeat);
    const verdict = comparisons.length > 0 ? combineVerdicts(comparisons.map((c) => c.verdict)) : 'inconclusive';
    const shown = comparisons.find((c) => c.verdict === verdict);
    return {
      index,
      ...(criterion.test === undefined ? {} : { test: criterion.test }),
      metric: criterion.metric,
      verdict,
      measured: shown?.measured ?? null,
      limit: shown?.limit ?? null,
      text: sentence(criterion, shown),
    };
  });
}

function comparisonsOf(
  criterion: Criterion,
  steps: readonly MeasuredStep[],
  references: References,
  byRepeat: (step: MeasuredStep) => RepeatMetrics,
): Comparison[] {
  const tests = testsMeant(
    steps.map((step) => step.test),
    criterion.test,
  );
  return steps
    .filter((step) => tests.includes(step.test))
    .flatMap((step) =>
      step.metrics
        .filter((metric) => metric.name === criterion.metric && carries(metric, criterion.labels ?? {}))
        .map((metric) => compare(criterion, step.test, metric, references, () => byRepeat(step))),
    );
}

const carries = (metric: Metric, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) =>
    Object.entries(metric.labels ?? {}).some(([k, v]) => k === key && v === value),
  );

function compare(
  criterion: Criterion,
  test: Test,
  metric: Metric,
  references: References,
  byRepeat: () => RepeatMetrics,
): Comparison {
  const op = symbolOf(criterion.op);
  const { limit, because } = limitOf(criterion, test, metric, references);
  const values = valuesOf(criterion, metric, byRepeat);
  const known = values.filter((value) => value !== null);
  const measured = worst(op, known, limit);
  const facts = { metric, measured, limit };
  if (limit === null || because) return { ...facts, verdict: 'inconclusive', because };
  if (known.some((value) => !holds(op, value, limit))) return { ...facts, verdict: 'fail' };
  if (known.length === 0 || known.length < values.length)
    return { ...facts, verdict: 'inconclusive', because: metric.reason ?? 'not every repeat has a value' };
  return { ...facts, verdict: 'pass' };
}

/** The values that must hold: one, or with `every` one of each repeat. */
function valuesOf({ aggregate }: Criterion, metric: Metric, byRepeat: () => RepeatMetrics): (number | null)[] {
  if (aggregate === 'median') return [metric.value];
  const values = valuesByRepeat(byRepeat(), metric);
  if (aggregate === 'every') return values.length > 0 ? values : [null];
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return [null];
  return [aggregate === 'min' ? Math.min(...known) : Math.max(...known)];
}

/** The value nearest to breaking the limit, or farthest beyond it. */
function worst(op: Symbolic, values: readonly number[], limit: number | null): number | null {
  if (values.length === 0) return null;
  if (op === '<' || op === '<=') return Math.max(...values);
  if (op === '>' || op === '>=') return Math.min(...values);
  return values.find((value) => limit !== null && !holds(op, value, limit)) ?? values[0] ?? null;
}

function holds(op: Symbolic, value: number, limit: number): boolean {
  if (op === '<') return value < limit;
  if (op === '<=') return value <= limit;
  if (op === '>') return value > limit;
  if (op === '>=') return value >= limit;
  return (value === limit) === (op === '==');
}

function limitOf(
  criterion: Criterion,
  test: Test,
  metric: Metric,
  { path, baselineOf }: References,
): { limit: number | null; because?: string } {
  const { of, value } = criterion;
  if (of === undefined) return { limit: value };
  const times = (reference: number | null | undefined, because: string) =>
    typeof reference === 'number' && Number.isFinite(value * reference)
      ? { limit: value * reference }
      : { limit: null, because };
  if (of === 'expected-rtt') return times(path.expectedRttMs, `path ${path.name} has no expectedRttMs`);
  if (of === 'expected-loss') return times(path.expectedLossRatio, `path ${path.name} has no expectedLossRatio`);
  if (of === 'baseline') return times(baselineOf?.(test, metric), 'there is no baseline value of this metric');
  const committed = path.committedRateBps && payloadRateBps(path.committedRateBps, path.rateLayer, path.mtu);
  return times(committed, `path ${path.name} has no committedRateBps`);
}

function sentence(criterion: Criterion, shown: Comparison | undefined): string {
  const wanted = `${criterion.metric} ${symbolOf(criterion.op)}`;
  if (!shown) return `${wanted} ${criterion.value}: nothing was measured that this speaks of`;
  const unit = shown.metric.unit;
  const limit = shown.limit === null ? String(criterion.value) : formatValue(shown.limit, unit);
  const of = criterion.of ? ` (${criterion.value} of ${criterion.of})` : '';
  const measured = shown.measured === null ? 'not measured' : `measured ${formatValue(shown.measured, unit)}`;
  const because = shown.because ? `; ${shown.because}` : '';
  return `${wanted} ${limit}${of}: ${shown.verdict}, ${measured}${because}`;
}
