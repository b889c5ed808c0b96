import { requireFiniteList, requireWhole, TheoryError } from '../theory/theory-error.js';
import type { Interval } from './hodges-lehmann.js';

export interface MedianRanks {
  /** Ranks from 1: the k-th and the (n + 1 - k)-th value bound the median. */
  low: number;
  high: number;
  coverage: number;
}

/**
 * The narrowest symmetric ranks whose values cover the median: 1 - 2 P(Bin(n, 1/2) <= k - 1) (David and Nagaraja,
 * Order Statistics, section 7.1). benchstat cuts unsymmetrically and so differs for some n.
 * @returns null when even the whole range does not reach the level (fewer than 6 values at 95 %). @throws {TheoryError}
 */
export function medianRanks(n: number, level = 0.95): MedianRanks | null {
  requireWhole('n', n, 1);
  if (!(level > 0 && level < 1)) throw new TheoryError('level', `must lie between 0 and 1, not ${level}`);
  let found: MedianRanks | null = null;
  // In logarithms: 2^-n of a long history is 0 as a double.
  let logTerm = -n * Math.LN2;
  let tail = 0;
  for (let k = 1; 2 * k <= n + 1; k++) {
    tail += Math.exp(logTerm);
    const coverage = 1 - 2 * tail;
    if (coverage < level * (1 - 1e-12)) return found;
    found = { low: k, high: n + 1 - k, coverage };
    logTerm += Math.log((n - k + 1) / k);
  }
  return found;
}

/** An interval for the median from the values themselves; null when they are too few. @throws {TheoryError} */
export function medianInterval(values: readonly number[], level = 0.95): Interval | null {
  const sorted = requireFiniteList('values', values).toSorted((a, b) => a - b);
  const ranks = sorted.length === 0 ? null : medianRanks(sorted.length, level);
  const [low, high] = [sorted[(ranks?.low ?? 0) - 1], sorted[(ranks?.high ?? 0) - 1]];
  return ranks === null || low === undefined || high === undefined ? null : { low, high, coverage: ranks.coverage };
}
