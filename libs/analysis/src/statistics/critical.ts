import { requireWhole, TheoryError } from '../theory/theory-error.js';
import { normalQuantileTwoSided } from './normal.js';

/** The largest statistic that is still significant, without ties. */
export interface Critical {
  value: number;
  /** Its two-sided probability; the interval made from it covers 1 - p. */
  p: number;
}

/** Up to here the distribution of U and T is computed; beyond, its normal form is good to more digits than are shown. */
const EXACT_UP_TO = 60;

/**
 * The largest Mann-Whitney U whose two-sided probability is at most alpha (without ties).
 * @returns null when even U = 0 is not that rare: 3 against 3 can never be significant at 0.05. @throws {TheoryError}
 */
export function criticalU(n1: number, n2: number, alpha: number): Critical | null {
  requireWhole('n1', n1, 1);
  requireWhole('n2', n2, 1);
  checkAlpha(alpha);
  if (Math.max(n1, n2) > EXACT_UP_TO) {
    const sd = Math.sqrt((n1 * n2 * (n1 + n2 + 1)) / 12);
    return normalCritical((n1 * n2) / 2, sd, alpha);
  }
  return largestBelow(uProbabilities(n1, n2), alpha);
}

/** The largest signed-rank T whose two-sided probability is at most alpha (without ties); null when there is none. @throws {TheoryError} */
export function criticalT(n: number, alpha: number): Critical | null {
  requireWhole('n', n, 1);
  checkAlpha(alpha);
  if (n > EXACT_UP_TO) return normalCritical((n * (n + 1)) / 4, Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24), alpha);
  return largestBelow(tProbabilities(n), alpha);
}

function largestBelow(probabilities: readonly number[], alpha: number): Critical | null {
  let found: Critical | null = null;
  let tail = 0;
  for (let value = 0; value < probabilities.length; value++) {
    tail += probabilities[value] ?? 0;
    // A probability equal to alpha but for its last bits counts.
    if (2 * tail > alpha * (1 + 1e-12)) return found;
    found = { value, p: 2 * tail };
  }
  return found;
}

function normalCritical(mean: number, sd: number, alpha: number): Critical | null {
  const value = Math.floor(mean - normalQuantileTwoSided(alpha) * sd - 0.5);
  return value < 0 ? null : { value, p: alpha };
}

/** P(U = u) for u = 0 ... n1 n2: f(i, j) = i/(i+j) f(i-1, j) shifted by j + j/(i+j) f(i, j-1). Ends: (n1 n2)^2 steps at most. */
function uProbabilities(n1: number, n2: number): number[] {
  let row: number[][] = Array.from({ length: n2 + 1 }, () => [1]);
  for (let i = 1; i <= n1; i++) {
    const next: number[][] = [[1]];
    for (let j = 1; j <= n2; j++) {
      const [last, first] = [row[j] ?? [], next[j - 1] ?? []];
      const mixed = new Array<number>(i * j + 1).fill(0);
      last.forEach((p, u) => {
        mixed[u + j] = (mixed[u + j] ?? 0) + (p * i) / (i + j);
      });
      first.forEach((p, u) => {
        mixed[u] = (mixed[u] ?? 0) + (p * j) / (i + j);
      });
      next.push(mixed);
    }
    row = next;
  }
  return row[n2] ?? [];
}

/** P(T = t) for t = 0 ... n(n+1)/2: every rank is in or out with probability 1/2. */
function tProbabilities(n: number): number[] {
  const p = new Array<number>((n * (n + 1)) / 2 + 1).fill(0);
  p[0] = 1;
  for (let r = 1; r <= n; r++)
    for (let t = p.length - 1; t >= 0; t--) p[t] = ((p[t] ?? 0) + (t >= r ? (p[t - r] ?? 0) : 0)) / 2;
  return p;
}

function checkAlpha(alpha: number): void {
  if (!(alpha > 0 && alpha < 1)) throw new TheoryError('alpha', `must lie between 0 and 1, not ${alpha}`);
}
