import { expect } from 'vitest';

/** Compares with the relative tolerance of the vectors, 1e-5: they are printed with six digits. */
export function close(actual: number | null | undefined, expected: number): void {
  expect(actual, `${actual} against ${expected}`).toSatisfy(
    (a: unknown) => typeof a === 'number' && Math.abs(a - expected) <= 1e-5 * Math.abs(expected) + 1e-12,
  );
}
/** The same for lists. */
export function closeList(actual: readonly (number | null)[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((e, i) => {
    close(actual[i], e);
  });
}
