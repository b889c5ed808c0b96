import type { Judgement } from './rule.js';

/** Numbers under their names; what is unknown, or no number, is left out. */
export type Numbers = Readonly<Record<string, number | undefined>>;

export const evidenceOf = (numbers: Numbers): Record<string, number> =>
  Object.fromEntries(
    Object.entries(numbers).filter(
      (entry): entry is [string, number] => entry[1] !== undefined && Number.isFinite(entry[1]),
    ),
  );

/** @param predictedCeilingBps what theory allows under this limit alone; absent where it has no closed form. */
export const yes = (numbers: Numbers, predictedCeilingBps?: number): Judgement => ({
  holds: 'yes',
  evidence: evidenceOf(numbers),
  ...ceiling(predictedCeilingBps),
});

export const no = (numbers: Numbers, predictedCeilingBps?: number): Judgement => ({
  holds: 'no',
  evidence: evidenceOf(numbers),
  ...ceiling(predictedCeilingBps),
});

export const cannotTell = (
  numbers: Numbers,
  missing: readonly string[],
  measureNext: readonly string[] = [],
): Judgement => ({
  holds: 'cannot-tell',
  evidence: evidenceOf(numbers),
  missing: [...missing],
  ...(measureNext.length > 0 ? { measureNext: [...measureNext] } : {}),
});

const ceiling = (bps: number | undefined): { predictedCeilingBps?: number } =>
  bps !== undefined && Number.isFinite(bps) && bps > 0 ? { predictedCeilingBps: bps } : {};

/** A formula's value; undefined where it does not hold for its numbers. */
export function theory(formula: () => number | null): number | undefined {
  try {
    const value = formula();
    return value === null || !Number.isFinite(value) ? undefined : value;
  } catch {
    return undefined;
  }
}
