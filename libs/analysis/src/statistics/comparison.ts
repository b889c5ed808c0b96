import { requireFiniteList, requireNonNegative, requireWhole, TheoryError } from '../theory/theory-error.js';
import { hodgesLehmannPaired, hodgesLehmannShift, type Interval } from './hodges-lehmann.js';
import { median } from './percentile.js';

export type ComparisonVerdict = 'improved' | 'regressed' | 'equivalent' | 'changed' | 'inconclusive';
export type Direction = 'higher-is-better' | 'lower-is-better';

export interface ComparisonSpec {
  /** One value a run, never one an interval: those are not independent. */
  before: readonly number[];
  after: readonly number[];
  direction: Direction;
  /** Runs taken in turn (A B A B): before[i] and after[i] are a pair. */
  paired?: boolean;
  /** What is too small to matter, as a share of the before median; default 0.03. Never derived from the noise. */
  marginRatio?: number;
  /** The same in the metric's own unit; goes before marginRatio. */
  margin?: number;
  /** How many primary metrics are judged together: the level is 1 - 0.05 / m. Default 1. */
  primaryMetrics?: number;
}

export interface Comparison {
  verdict: ComparisonVerdict;
  beforeMedian: number;
  afterMedian: number;
  /** Hodges-Lehmann shift, after against before, in the metric's unit. */
  shift: number;
  /** Simultaneous over the primary metrics; null when so few runs can give none. */
  interval: Interval | null;
  margin: number;
  /** The smallest shift that this many runs with this noise could have shown; null without an interval. */
  smallestShift: number | null;
  /** Whether to stop: the half-width is at most half the margin, or there are 30 runs a side. By width, never by p. */
  settled: boolean;
  /** About how many runs a side would settle it; null when it is settled or cannot be said. */
  runsToSettle: number | null;
}

const MOST_RUNS = 30;
export const DEFAULT_MARGIN_RATIO = 0.03;

/** The verdict on a change of one metric by the rule of METHODS.md, section E; first match wins. @throws {TheoryError} */
export function compareRuns(spec: ComparisonSpec): Comparison {
  const beforeMedian = medianOf('before', spec.before);
  const afterMedian = medianOf('after', spec.after);
  const margin = marginOf(spec, beforeMedian);
  const alpha = 0.05 / requireWhole('primaryMetrics', spec.primaryMetrics ?? 1, 1);
  const { shift, interval } = spec.paired
    ? hodgesLehmannPaired(pairs(spec), alpha)
    : hodgesLehmannShift(spec.before, spec.after, alpha);
  const halfWidth = interval === null ? null : (interval.high - interval.low) / 2;
  const runs = Math.min(spec.before.length, spec.after.length);
  const settled = runs >= MOST_RUNS || (halfWidth !== null && halfWidth <= margin / 2);
  return {
    verdict: interval === null ? 'inconclusive' : verdictOf(interval, margin, spec.direction),
    beforeMedian,
    afterMedian,
    shift,
    interval,
    margin,
    smallestShift: halfWidth,
    settled,
    runsToSettle: settled ? null : runsToSettle(runs, halfWidth, margin),
  };
}

function verdictOf(interval: Interval, margin: number, direction: Direction): ComparisonVerdict {
  const up = direction === 'higher-is-better';
  if (interval.low > margin) return up ? 'improved' : 'regressed';
  if (interval.high < -margin) return up ? 'regressed' : 'improved';
  if (interval.low >= -margin && interval.high <= margin) return 'equivalent';
  return interval.low > 0 || interval.high < 0 ? 'changed' : 'inconclusive';
}

/** A half-width shrinks with the square root of the runs. */
function runsToSettle(runs: number, halfWidth: number | null, margin: number): number | null {
  if (halfWidth === null || margin === 0) return null;
  return Math.min(Math.max(Math.ceil(runs * (halfWidth / (margin / 2)) ** 2), runs + 1), MOST_RUNS);
}

function marginOf(spec: ComparisonSpec, beforeMedian: number): number {
  if (spec.margin !== undefined) return requireNonNegative('margin', spec.margin);
  return requireNonNegative('marginRatio', spec.marginRatio ?? DEFAULT_MARGIN_RATIO) * Math.abs(beforeMedian);
}

function pairs({ before, after }: ComparisonSpec): number[] {
  if (before.length !== after.length)
    throw new TheoryError(
      'after',
      `must hold as many runs as before (${before.length}) to make pairs, not ${after.length}`,
    );
  return after.map((value, i) => value - (before[i] ?? value));
}

function medianOf(field: string, values: readonly number[]): number {
  const middle = median(requireFiniteList(field, values));
  if (middle === null) throw new TheoryError(field, 'must hold at least one run');
  return middle;
}
