import { requirePositive, TheoryError } from '../theory/theory-error.js';

/** Mean of ratios across paths: twice as fast and half as fast cancel out (Fleming and Wallace, CACM 29(3), 1986). @throws {TheoryError} for no ratio, or one that is not above 0. */
export function geometricMean(ratios: readonly number[]): number {
  if (ratios.length === 0) throw new TheoryError('ratios', 'must hold at least one');
  const logs = ratios.map((ratio, i) => Math.log(requirePositive(`ratios[${i}]`, ratio)));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}
