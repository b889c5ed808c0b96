import { TheoryError } from '../theory/theory-error.js';

/** Holm's step-down adjustment of several p-values, in the order given (Holm, 1979). @throws {TheoryError} for what is no probability. */
export function holm(pValues: readonly number[]): number[] {
  const wrong = pValues.findIndex((p) => !(p >= 0 && p <= 1));
  if (wrong !== -1) throw new TheoryError(`pValues[${wrong}]`, `must be from 0 to 1, not ${pValues[wrong]}`);
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = new Array<number>(pValues.length).fill(1);
  let running = 0;
  order.forEach(({ p, index }, i) => {
    running = Math.max(running, Math.min(p * (pValues.length - i), 1));
    adjusted[index] = running;
  });
  return adjusted;
}
