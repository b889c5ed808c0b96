import { requireFiniteList } from '../theory/theory-error.js';
import { normalTwoSided } from './normal.js';
import { rank, tieTerm } from './ranks.js';

export interface SignedRank {
  wPlus: number;
  wMinus: number;
  /** Differences that are not 0: those are dropped (Wilcoxon's way). */
  n: number;
  /** Two-sided; 1 when no difference is left. */
  p: number;
  method: 'exact' | 'normal';
}

/** Up to here all 2^n signs are counted exactly (below 2^53). */
const EXACT_UP_TO = 50;

/** Wilcoxon's signed-rank test of paired differences, two-sided (Wilcoxon, 1945; Lehmann, Nonparametrics, section 3.2). @throws {TheoryError} */
export function signedRank(differences: readonly number[]): SignedRank {
  const kept = requireFiniteList('differences', differences).filter((d) => d !== 0);
  const n = kept.length;
  const { doubled, ties } = rank(kept.map(Math.abs));
  const plus = kept.reduce((sum, d, i) => sum + (d > 0 ? (doubled[i] ?? 0) : 0), 0);
  const total = n * (n + 1);
  const [wPlus, wMinus] = [plus / 2, (total - plus) / 2];
  const exact = n <= EXACT_UP_TO;
  const p = exact ? exactP(doubled, Math.min(plus, total - plus)) : signedRankNormalP(n, wPlus, ties);
  return { wPlus, wMinus, n, p, method: exact ? 'exact' : 'normal' };
}

/** The normal approximation, corrected for ties and continuity (Lehmann, section 3.2). */
export function signedRankNormalP(n: number, w: number, ties: readonly number[]): number {
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tieTerm(ties) / 48;
  if (variance <= 0) return 1;
  return normalTwoSided(Math.max(Math.abs(w - (n * (n + 1)) / 4) - 0.5, 0) / Math.sqrt(variance));
}

/** Twice the share of sign patterns with at most this (doubled) sum; the distribution is symmetric. */
function exactP(doubled: readonly number[], smaller: number): number {
  const counts = subsetsBySum(doubled);
  const low = counts.slice(0, smaller + 1).reduce((a, b) => a + b, 0);
  return Math.min((2 * low) / 2 ** doubled.length, 1);
}

function subsetsBySum(doubled: readonly number[]): number[] {
  const counts = new Array<number>(doubled.reduce((a, b) => a + b, 0) + 1).fill(0);
  counts[0] = 1;
  // Ends: n * n(n+1) steps.
  for (const r of doubled)
    for (let sum = counts.length - 1; sum >= r; sum--) counts[sum] = (counts[sum] ?? 0) + (counts[sum - r] ?? 0);
  return counts;
}
