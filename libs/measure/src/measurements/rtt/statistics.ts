import { interPacketDelayVariationMs, percentileNearestRank } from '@plumbline/analysis';

/**
 * Percentile by nearest rank over all requests, a lost one (null) counting as infinite (RFC 7679 section 5.1).
 * @returns null when it falls on a lost request, or when there is no request
 * @throws {TheoryError} for numbers that are not finite
 */
export function percentile(values: readonly (number | null)[], percent: number): number | null {
  const replies = values.filter((value) => value !== null);
  const value = percentileNearestRank(replies, percent, values.length - replies.length);
  return value === 'lost' ? null : value;
}

/**
 * Mean of |RTT(i) - RTT(i-1)| over neighbours that were both answered (RFC 3393, RFC 5481 section 4.1).
 * @returns undefined when there is no such pair
 * @throws {TheoryError} for numbers that are not finite
 */
export const meanAbsoluteIpdv = (values: readonly (number | null)[]): number | undefined =>
  mean(interPacketDelayVariationMs(values).flatMap((value) => (value === null ? [] : [Math.abs(value)])));

export const mean = (values: readonly number[]): number | undefined =>
  values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined;
