import { requireFiniteList, TheoryError } from '../theory/theory-error.js';
import { type Critical, criticalT, criticalU } from './critical.js';
import { median } from './percentile.js';

export interface Interval {
  low: number;
  high: number;
  /** What it covers at least, without ties: the level asked for is reached or passed. */
  coverage: number;
}
export interface Shift {
  /** The typical difference. */
  shift: number;
  /** Null when so few values can give no interval of that level. */
  interval: Interval | null;
}

/**
 * Hodges-Lehmann shift of y against x, the median of all y - x, with the interval that belongs to Mann-Whitney's test
 * (Hodges and Lehmann, 1963; Lehmann, Nonparametrics, section 2.5).
 * @param alpha 1 - level; 0.05 / m for m intervals that hold together. @throws {TheoryError} for an empty side.
 */
export function hodgesLehmannShift(x: readonly number[], y: readonly number[], alpha = 0.05): Shift {
  requireFiniteList('x', x);
  requireFiniteList('y', y);
  const differences = y.flatMap((b) => x.map((a) => b - a)).sort((a, b) => a - b);
  const shift = median(differences);
  if (shift === null) throw new TheoryError(x.length === 0 ? 'x' : 'y', 'must hold at least one value');
  return { shift, interval: cut(differences, criticalU(x.length, y.length, alpha)) };
}

/**
 * Hodges-Lehmann centre of paired differences, the median of all means of two (Walsh averages), with the interval that
 * belongs to the signed-rank test (Lehmann, Nonparametrics, section 4.5). @throws {TheoryError} for no pair.
 */
export function hodgesLehmannPaired(differences: readonly number[], alpha = 0.05): Shift {
  requireFiniteList('differences', differences);
  const walsh = differences.flatMap((a, i) => differences.slice(i).map((b) => a / 2 + b / 2)).sort((a, b) => a - b);
  const shift = median(walsh);
  if (shift === null) throw new TheoryError('differences', 'must hold at least one value');
  return { shift, interval: cut(walsh, criticalT(differences.length, alpha)) };
}

/** From the ordered differences, rank value + 1 from either end. */
function cut(ordered: readonly number[], critical: Critical | null): Interval | null {
  if (critical === null) return null;
  const low = ordered[critical.value];
  const high = ordered[ordered.length - 1 - critical.value];
  return low === undefined || high === undefined ? null : { low, high, coverage: 1 - critical.p };
}
