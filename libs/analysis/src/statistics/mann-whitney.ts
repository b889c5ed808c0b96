import { requireFiniteList, TheoryError } from '../theory/theory-error.js';
import { normalTwoSided } from './normal.js';
import { rank, tieTerm } from './ranks.js';

export interface MannWhitney {
  /** R1 - n1 (n1 + 1) / 2: how often a value of x is above one of y, a tie counting half. */
  u1: number;
  u2: number;
  /** Two-sided: twice the smaller tail. */
  p: number;
  /** Two-sided the other way, both tails at least as far from the middle: differs with ties and unequal sizes. */
  pByDistance: number;
  method: 'exact' | 'normal';
}

/** Up to this many a side every arrangement is counted, ties and all: the normal form flips verdicts on small samples. */
const EXACT_UP_TO = 25;

/** Mann-Whitney U test, two-sided (Mann and Whitney, 1947; ties as in Lehmann, Nonparametrics, section 1.4). @throws {TheoryError} for an empty side. */
export function mannWhitney(x: readonly number[], y: readonly number[]): MannWhitney {
  for (const [field, side] of [
    ['x', x],
    ['y', y],
  ] as const)
    if (requireFiniteList(field, side).length === 0) throw new TheoryError(field, 'must hold at least one value');
  const [n1, n2] = [x.length, y.length];
  const { doubled, ties } = rank([...x, ...y]);
  const sum = doubled.slice(0, n1).reduce((a, b) => a + b, 0);
  const u1 = sum / 2 - (n1 * (n1 + 1)) / 2;
  const u2 = n1 * n2 - u1;
  const exact = Math.max(n1, n2) <= EXACT_UP_TO;
  const p = exact ? exactP(doubled, n1, sum) : both(mannWhitneyNormalP(n1, n2, u1, ties));
  return { u1, u2, ...p, method: exact ? 'exact' : 'normal' };
}

/** The normal approximation, corrected for ties and continuity (Lehmann, section 1.4): for more than 25 a side. */
export function mannWhitneyNormalP(n1: number, n2: number, u: number, ties: readonly number[]): number {
  const n = n1 + n2;
  const variance = n < 2 ? 0 : ((n1 * n2) / 12) * (n + 1 - tieTerm(ties) / (n * (n - 1)));
  // All values equal: nothing speaks for a difference.
  if (variance <= 0) return 1;
  return normalTwoSided(Math.max(Math.abs(u - (n1 * n2) / 2) - 0.5, 0) / Math.sqrt(variance));
}

/**
 * Counts the choices of n1 ranks by their sum. Exact: at most C(50, 25) = 1.3e14 choices, below 2^53.
 * Ends: values * n1 * sums steps, about 2.4 million at 25 a side.
 */
function exactP(doubled: readonly number[], n1: number, observed: number): { p: number; pByDistance: number } {
  const counts = choicesBySum(doubled, n1);
  const middle = n1 * (doubled.length + 1); // the mean rank sum, doubled
  const distance = Math.abs(observed - middle);
  let [total, low, high, far] = [0, 0, 0, 0];
  counts.forEach((count, sum) => {
    total += count;
    if (sum <= observed) low += count;
    if (sum >= observed) high += count;
    if (Math.abs(sum - middle) >= distance) far += count;
  });
  return { p: Math.min((2 * Math.min(low, high)) / total, 1), pByDistance: far / total };
}

function choicesBySum(doubled: readonly number[], n1: number): number[] {
  const largest = doubled
    .toSorted((a, b) => b - a)
    .slice(0, n1)
    .reduce((a, b) => a + b, 0);
  const bySize = Array.from({ length: n1 + 1 }, () => new Array<number>(largest + 1).fill(0));
  const empty = bySize[0];
  if (empty) empty[0] = 1;
  for (const r of doubled)
    for (let size = n1; size >= 1; size--) {
      const [from, to] = [bySize[size - 1], bySize[size]];
      if (!from || !to) continue;
      for (let sum = largest; sum >= r; sum--) to[sum] = (to[sum] ?? 0) + (from[sum - r] ?? 0);
    }
  return bySize[n1] ?? [];
}

const both = (p: number): { p: number; pByDistance: number } => ({ p, pByDistance: p });
