import { finiteResult, requireNonNegative } from './theory-error.js';

/**
 * Jain's fairness index: (sum x)^2 / (n * sum x^2); 1 is even, 1/n is all to one (Jain, Chiu and Hawe, DEC-TR-301, 1984).
 * @returns null when nothing was carried at all. @throws {TheoryError}
 */
export function jainFairness(ratesBps: readonly number[]): number | null {
  const largest = ratesBps.reduce((max, rate, i) => Math.max(max, requireNonNegative(`ratesBps[${i}]`, rate)), 0);
  if (largest === 0) return null;
  const shares = ratesBps.map((rate) => rate / largest);
  const sum = shares.reduce((a, b) => a + b, 0);
  return finiteResult('fairness', sum ** 2 / (shares.length * shares.reduce((a, b) => a + b * b, 0)));
}
