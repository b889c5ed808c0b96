/** Small arithmetic on lists of readings. None throws; an empty list is undefined, never NaN. */
export const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
export const meanOf = (values: readonly number[]): number | undefined =>
  values.length > 0 ? sumOf(values) / values.length : undefined;
// Not Math.max(...values): a long test has more samples than a call may have arguments.
export const greatestOf = (values: readonly number[]): number | undefined =>
  values.length > 0 ? values.reduce((a, b) => Math.max(a, b)) : undefined;
export const leastOf = (values: readonly number[]): number | undefined =>
  values.length > 0 ? values.reduce((a, b) => Math.min(a, b)) : undefined;

export function medianOf(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** Numerator by denominator where both are known and the second is above zero. */
export function ratioOf(numerator: number | undefined, denominator: number | undefined): number | undefined {
  if (numerator === undefined || denominator === undefined || !(denominator > 0)) return undefined;
  const ratio = numerator / denominator;
  return Number.isFinite(ratio) ? ratio : undefined;
}

export const productOf = (...factors: readonly (number | undefined)[]): number | undefined => {
  if (factors.some((factor) => factor === undefined)) return undefined;
  const product = factors.reduce<number>((a, b) => a * (b ?? 0), 1);
  return Number.isFinite(product) ? product : undefined;
};

/** Of those that are known. */
export const known = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);
