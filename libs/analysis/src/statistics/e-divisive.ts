import { requireFiniteList, requireWhole, TheoryError } from '../theory/theory-error.js';

export interface Split {
  /** 0-based index of the first value after the change. */
  tau: number;
  /** Where the second part ends (exclusive). */
  kappa: number;
  q: number;
}

/**
 * Q(tau, kappa) = mn/(m+n) (2 mean|X-Y| - mean|X-X'| - mean|Y-Y'|), X the first tau values, Y those up to kappa, with
 * alpha = 1 and means over distinct pairs (Matteson and James, arXiv 1306.4933, sections 2.2 and 2.3; Apache Otava).
 * @param kappaFree whether Y may end before the series does (ours), or not.
 * @returns the largest; the earliest of equals; null for fewer than two values. @throws {TheoryError}
 */
export function bestSplit(values: readonly number[], kappaFree = true): Split | null {
  requireFiniteList('values', values);
  let best: Split | null = null;
  eachSplit(values, (split) => {
    if (!kappaFree && split.kappa !== values.length) return;
    if (best === null || split.q > best.q * (1 + 1e-12)) best = split;
  });
  return best;
}

/** Q for tau = 1 ... n - 1 with Y up to the end. @throws {TheoryError} */
export function splitStatistics(values: readonly number[]): number[] {
  requireFiniteList('values', values);
  const q: number[] = [];
  eachSplit(values, (split) => {
    if (split.kappa === values.length) q[split.tau - 1] = split.q;
  });
  return q;
}

/** Visits every tau and kappa. Ends: n^2 / 2 visits, one step each, from running sums of distances. */
function eachSplit(values: readonly number[], visit: (split: Split) => void): void {
  const n = values.length;
  const at = (i: number): number => values[i] ?? 0;
  // toAll[j]: distances from value j to all values before it. toX[j]: to those in X.
  const toAll = values.map((v, j) => values.slice(0, j).reduce((sum, w) => sum + Math.abs(v - w), 0));
  const toX = new Array<number>(n).fill(0);
  let withinX = 0;
  for (let tau = 1; tau < n; tau++) {
    withinX += toX[tau - 1] ?? 0;
    for (let j = tau; j < n; j++) toX[j] = (toX[j] ?? 0) + Math.abs(at(j) - at(tau - 1));
    let [between, withinY] = [0, 0];
    for (let kappa = tau + 1; kappa <= n; kappa++) {
      const j = kappa - 1;
      between += toX[j] ?? 0;
      withinY += (toAll[j] ?? 0) - (toX[j] ?? 0);
      const [m, k] = [tau, kappa - tau];
      const distance = (2 * between) / (m * k) - pairMean(withinX, m) - pairMean(withinY, k);
      visit({ tau, kappa, q: ((m * k) / (m + k)) * distance });
    }
  }
}

const pairMean = (sum: number, n: number): number => (n < 2 ? 0 : sum / ((n * (n - 1)) / 2));

export interface ChangePointOptions {
  /** Seed of the permutations: the same history and seed give the same points. */
  seed: number;
  /** Default 0.05. */
  significance?: number;
  /** Default 199; the smallest p is 1 / (permutations + 1). */
  permutations?: number;
  /** Values that either side of a point has at least; default 2. */
  minSegment?: number;
}
export interface ChangePoint {
  /** 0-based index of the first value of the new level. */
  index: number;
  q: number;
  p: number;
}

/** A longer history is cut into pages by the caller: the time grows with its square. */
const LONGEST = 5000;

/**
 * Change points of a history: split where Q is largest, test against permutations of that part, go on in both halves
 * (Matteson and James, arXiv 1306.4933, sections 2.4 and 3). In order of time. @throws {TheoryError}
 */
export function changePoints(values: readonly number[], options: ChangePointOptions): ChangePoint[] {
  requireFiniteList('values', values);
  if (values.length > LONGEST) throw new TheoryError('values', `must be at most ${LONGEST}, not ${values.length}`);
  const { significance = 0.05, permutations = 199, minSegment = 2 } = options;
  if (!(significance > 0 && significance < 1))
    throw new TheoryError('significance', `must lie between 0 and 1, not ${significance}`);
  requireWhole('permutations', permutations, 1);
  requireWhole('minSegment', minSegment, 1);
  const random = randomOf(requireWhole('seed', options.seed));
  const found: ChangePoint[] = [];
  const parts: [number, number][] = [[0, values.length]];
  // Ends: a part is replaced by two shorter ones or by none.
  for (let part = parts.pop(); part; part = parts.pop()) {
    const [start, end] = part;
    const segment = values.slice(start, end);
    const split = segment.length < 2 * minSegment ? null : bestSplit(segment);
    if (!split || split.tau < minSegment || segment.length - split.tau < minSegment) continue;
    const p = permutationP(segment, split.q, permutations, random);
    if (p > significance) continue;
    found.push({ index: start + split.tau, q: split.q, p });
    parts.push([start, start + split.tau], [start + split.tau, end]);
  }
  return found.sort((a, b) => a.index - b.index);
}

function permutationP(segment: readonly number[], q: number, permutations: number, random: () => number): number {
  let asLarge = 0;
  for (let i = 0; i < permutations; i++) {
    const best = bestSplit(shuffled(segment, random));
    if (best && best.q >= q * (1 - 1e-12)) asLarge++;
  }
  return (asLarge + 1) / (permutations + 1);
}

/** Fisher and Yates. */
function shuffled(values: readonly number[], random: () => number): number[] {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const [a, b] = [result[i] ?? 0, result[j] ?? 0];
    result[i] = b;
    result[j] = a;
  }
  return result;
}

/** mulberry32: 32 bits of state, good enough to shuffle. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
