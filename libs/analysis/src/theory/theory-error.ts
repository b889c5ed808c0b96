/** A formula was given something it does not hold for. `field` names the argument. */
export class TheoryError extends Error {
  override readonly name = 'TheoryError';
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(`${field} ${message}`);
  }
}

/** No quantity of a network is larger, and products of a few such numbers stay far from the end of doubles. */
const LARGEST = 1e60;

/** @throws {TheoryError} unless the value is a number above zero (1e-60 to 1e60). */
export function requirePositive(field: string, value: number): number {
  if (value >= 1 / LARGEST && value <= LARGEST) return value;
  throw new TheoryError(field, `must be a number above 0, not ${value}`);
}

/** @throws {TheoryError} unless the value is a number of at least zero (at most 1e60). */
export function requireNonNegative(field: string, value: number): number {
  if (value >= 0 && value <= LARGEST) return value;
  throw new TheoryError(field, `must be a number of at least 0, not ${value}`);
}

/** @throws {TheoryError} unless the value is a whole number of at least `min` (and at most 2^53 - 1). */
export function requireWhole(field: string, value: number, min = 0): number {
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw new TheoryError(field, `must be a whole number of at least ${min}, not ${value}`);
}

/** @throws {TheoryError} unless every value is a number (of at most 1e60). */
export function requireFiniteList(field: string, values: readonly number[]): readonly number[] {
  const bad = values.findIndex((v) => !(Math.abs(v) <= LARGEST));
  if (bad === -1) return values;
  throw new TheoryError(field, `must hold numbers only, but [${bad}] is ${values[bad]}`);
}

/** @throws {TheoryError} when a result is no finite number (an overflow: no real path is that large). */
export function finiteResult(field: string, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new TheoryError(field, 'leaves the range of numbers with these inputs');
}

/** Round up, but not because of the last bits of a binary fraction: 112500.00000000001 is 112500. */
export function ceilTolerant(value: number): number {
  return Math.ceil(value - Math.abs(value) * 1e-12);
}
