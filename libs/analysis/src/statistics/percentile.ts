import { requireFiniteList, requireWhole, TheoryError } from '../theory/theory-error.js';

/**
 * A percentile: a number; `lost` when it falls on a lost packet, whose delay counts as infinite (RFC 7679, section 5.1);
 * null without any sample.
 */
export type Percentile = number | 'lost' | null;

/** Nearest rank: the value at rank max(1, ceil(p * n / 100)), lost packets ranking last (RFC 2330, section 11.3). @throws {TheoryError} */
export function percentileNearestRank(values: readonly number[], percent: number, lostCount = 0): Percentile {
  const sorted = checked(values, percent, lostCount);
  const n = sorted.length + lostCount;
  if (n === 0) return null;
  // In this order: 0.07 * 100 is 7.000000000000001, and its ceiling 8.
  const rank = Math.max(1, Math.ceil((percent * n) / 100));
  return sorted[rank - 1] ?? 'lost';
}

/** Linear interpolation between the two nearest ranks (type 7 of Hyndman and Fan, 1996), lost packets ranking last. @throws {TheoryError} */
export function percentileLinear(values: readonly number[], percent: number, lostCount = 0): Percentile {
  const sorted = checked(values, percent, lostCount);
  const n = sorted.length + lostCount;
  if (n === 0) return null;
  const h = ((n - 1) * percent) / 100;
  const below = sorted[Math.floor(h)];
  const part = h - Math.floor(h);
  if (below === undefined) return 'lost';
  if (part === 0) return below;
  const above = sorted[Math.floor(h) + 1];
  // Weighted, not below + part * (above - below): the difference of two large numbers could overflow.
  return above === undefined ? 'lost' : below * (1 - part) + above * part;
}

/** The middle value, the mean of the two middle ones of an even count; null without any. @throws {TheoryError} */
export function median(values: readonly number[]): number | null {
  const middle = percentileLinear(values, 50);
  return middle === 'lost' ? null : middle;
}

function checked(values: readonly number[], percent: number, lostCount: number): number[] {
  requireFiniteList('values', values);
  requireWhole('lostCount', lostCount);
  if (!(percent >= 0 && percent <= 100)) throw new TheoryError('percent', `must be from 0 to 100, not ${percent}`);
  return values.toSorted((a, b) => a - b);
}
