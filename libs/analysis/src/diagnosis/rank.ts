import type { Finding } from '@plumbline/model';
import { RULES } from './rules/list.js';

/** A cause without a closed form explains a rate as well as a ceiling that is this far off would (logarithm of 15 %). */
const WITHOUT_CEILING = Math.log(1.15);
const ORDER: Readonly<Record<Finding['holds'], number>> = { yes: 0, 'cannot-tell': 1, no: 2 };
const LIMITS = new Set(RULES.filter((rule) => rule.effect === 'limit').map((rule) => rule.code));

/** Whether it explains a rate, rather than stands beside one. */
export const isLimit = ({ code }: Finding): boolean => LIMITS.has(code);

/** How far what it predicts is from what was measured, as a logarithm of their ratio: 0 explains the rate wholly. */
export function distanceOf({ evidence, predictedCeilingBps }: Finding): number {
  const measured = evidence.measuredBps;
  if (predictedCeilingBps === undefined || measured === undefined || !(measured > 0)) return WITHOUT_CEILING;
  return Math.abs(Math.log(measured / predictedCeilingBps));
}

/** What holds first, causes before what stands beside them, the nearest explanation first; the others are kept. */
export const ranked = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort(
    (a, b) =>
      ORDER[a.holds] - ORDER[b.holds] || Number(isLimit(b)) - Number(isLimit(a)) || distanceOf(a) - distanceOf(b),
  );
