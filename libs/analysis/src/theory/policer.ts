import { finiteResult, requireFiniteList, requireNonNegative, requirePositive, TheoryError } from './theory-error.js';

/** What arrived over a part of a transfer, and how many segments were sent again in it. */
export interface PolicerPoint {
  atS: number;
  rateBps: number;
  rttMs: number;
  lostSegments: number;
}

export interface PolicerFit {
  isPolicer: boolean;
  /** Mean rate from the first loss to the last: what the bucket is filled with. */
  tokenRateBps: number;
  /** Rate before the first loss by the token rate: what a full bucket let through. */
  burstRatio: number;
  /** How even the rate stayed after the first loss: standard deviation by mean. */
  variation: number;
  /** Round trip after the first loss by the idle one. */
  rttRatio: number;
}

/**
 * The signature of a policer in a transfer (Flach et al., "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016,
 * section 3.1): it starts above the token rate while the bucket is full, then its goodput from first to last loss is the
 * token rate and stays even, and the round trip shows no queue at the losses.
 * @param idleRttMs the round trip without load. @throws {TheoryError} with fewer than four points or values that are no numbers.
 */
export function policerSignature(points: readonly PolicerPoint[], idleRttMs: number): PolicerFit {
  if (points.length < 4) throw new TheoryError('points', 'must hold at least four points');
  for (const field of ['atS', 'rateBps', 'rttMs', 'lostSegments'] as const)
    requireFiniteList(
      field,
      points.map((point) => point[field]),
    ).forEach((v) => {
      requireNonNegative(field, v);
    });
  requirePositive('idleRttMs', idleRttMs);
  const lossy = points.flatMap((point, i) => (point.lostSegments > 0 ? [i] : []));
  const [first, last] = [lossy[0], lossy.at(-1)];
  if (first === undefined || last === undefined || last - first < 3)
    return {
      isPolicer: false,
      tokenRateBps: mean(points.map((p) => p.rateBps)),
      burstRatio: 1,
      variation: 0,
      rttRatio: 1,
    };
  const after = points.slice(first + 1, last + 1);
  const tokenRateBps = mean(after.map((p) => p.rateBps));
  if (tokenRateBps === 0) return { isPolicer: false, tokenRateBps, burstRatio: 1, variation: 0, rttRatio: 1 };
  const burst = Math.max(...points.slice(0, first + 1).map((p) => p.rateBps)) / tokenRateBps;
  const variation = Math.sqrt(mean(after.map((p) => (p.rateBps - tokenRateBps) ** 2))) / tokenRateBps;
  const rttRatio = mean(after.map((p) => p.rttMs)) / idleRttMs;
  return {
    isPolicer: burst >= 1.3 && variation <= 0.2 && rttRatio <= 1.1,
    tokenRateBps,
    burstRatio: finiteResult('burst ratio', burst),
    variation: finiteResult('variation', variation),
    rttRatio: finiteResult('RTT ratio', rttRatio),
  };
}

/**
 * What a token bucket lets through of a constant load (RFC 2697, section 3): the burst once, then the token rate.
 * @returns bytes. @throws {TheoryError}
 */
export function tokenBucketBytes(
  offeredBps: number,
  tokenRateBps: number,
  burstBytes: number,
  durationS: number,
): number {
  const offered = (requireNonNegative('offeredBps', offeredBps) * requirePositive('durationS', durationS)) / 8;
  const tokens =
    (requirePositive('tokenRateBps', tokenRateBps) * durationS) / 8 + requireNonNegative('burstBytes', burstBytes);
  return finiteResult('bytes', Math.min(offered, tokens));
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
