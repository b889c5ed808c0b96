import { bdpBytes } from './bandwidth-delay.js';
import { finiteResult, requirePositive, requireWhole, TheoryError } from './theory-error.js';

/** Segments that a connection may send at once at its start (RFC 6928, section 2). */
export const INITIAL_WINDOW_SEGMENTS = 10;

export interface SlowStart {
  /** Round trips until the congestion window holds the bandwidth-delay product. */
  rounds: number;
  timeMs: number;
  /** Payload sent in those rounds. */
  sentBytes: number;
}

/**
 * Ideal slow start: round k sends IW * 2^k segments (RFC 5681, section 3.1). A real kernel is slower (HyStart, pacing,
 * delayed acknowledgements). @throws {TheoryError}
 */
export function slowStart(
  rateBps: number,
  rttMs: number,
  mssBytes: number,
  initialWindowSegments: number = INITIAL_WINDOW_SEGMENTS,
): SlowStart {
  const firstBytes =
    requirePositive('mssBytes', mssBytes) * requireWhole('initialWindowSegments', initialWindowSegments, 1);
  const rounds = doublings(bdpBytes(rateBps, rttMs) / firstBytes);
  return { rounds, timeMs: rounds * rttMs, sentBytes: finiteResult('sent bytes', firstBytes * (2 ** rounds - 1)) };
}

export interface Delivery {
  segments: number;
  rounds: number;
  timeMs: number;
  /** Payload over that time. */
  rateBps: number;
}

/** Round trips that a short transfer takes when slow start is all it sees (RFC 5681, section 3.1). @throws {TheoryError} */
export function slowStartDelivery(
  payloadBytes: number,
  rttMs: number,
  mssBytes: number,
  initialWindowSegments: number = INITIAL_WINDOW_SEGMENTS,
): Delivery {
  const segments = Math.ceil(requireWhole('payloadBytes', payloadBytes, 1) / requirePositive('mssBytes', mssBytes));
  const iw = requireWhole('initialWindowSegments', initialWindowSegments, 1);
  // After n rounds IW * (2^n - 1) segments are sent.
  const rounds = doublings(segments / iw + 1);
  const timeMs = rounds * requirePositive('rttMs', rttMs);
  return { segments, rounds, timeMs, rateBps: finiteResult('rate', (payloadBytes * 8 * 1000) / timeMs) };
}

/** The smallest n with 2^n >= ratio. */
function doublings(ratio: number): number {
  if (!Number.isFinite(ratio)) throw new TheoryError('rounds', 'leave the range of numbers with these inputs');
  let n = 0;
  // Ends: a double is below 2^1024.
  while (2 ** n < ratio * (1 - 1e-12)) n++;
  return n;
}
