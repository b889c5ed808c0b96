import { ceilTolerant, finiteResult, requirePositive, requireWhole } from './theory-error.js';

/** The largest window without the window scale option (RFC 9293, section 3.1: 16 bits). */
export const MAX_UNSCALED_WINDOW_BYTES = 65_535;
/** The largest shift of the window scale option (RFC 7323, section 2.3). */
export const MAX_WINDOW_SHIFT = 14;
/** The largest window that TCP can advertise: 65535 * 2^14, a little less than 1 GiB (RFC 7323, section 2.3). */
export const MAX_WINDOW_BYTES = MAX_UNSCALED_WINDOW_BYTES * 2 ** MAX_WINDOW_SHIFT;

/** Bandwidth-delay product in bits (RFC 6349, section 3.3.1). @throws {TheoryError} */
export function bdpBits(rateBps: number, rttMs: number): number {
  return finiteResult(
    'bandwidth-delay product',
    (requirePositive('rateBps', rateBps) * requirePositive('rttMs', rttMs)) / 1000,
  );
}

/** Bandwidth-delay product in bytes: what must be in flight to fill the path (RFC 6349, section 3.3.1). @throws {TheoryError} */
export function bdpBytes(rateBps: number, rttMs: number): number {
  return bdpBits(rateBps, rttMs) / 8;
}

/**
 * The most that one connection carries with a window: window * 8 / RTT (RFC 6349, section 3.3.1). Give the window that
 * the socket showed, not a sysctl: Linux advertises only a part of the buffer.
 * @returns TCP payload in bit/s. @throws {TheoryError}
 */
export function windowCeilingBps(windowBytes: number, rttMs: number): number {
  return finiteResult(
    'window ceiling',
    (requirePositive('windowBytes', windowBytes) * 8 * 1000) / requirePositive('rttMs', rttMs),
  );
}

/** The smallest whole window that allows a rate of TCP payload over a round trip (RFC 6349, section 3.3.1). @throws {TheoryError} */
export function neededWindowBytes(rateBps: number, rttMs: number): number {
  return ceilTolerant(bdpBytes(rateBps, rttMs));
}

/** How many connections with this window it takes to fill the path: ceil(BDP / window) (RFC 6349, section 5.1). @throws {TheoryError} */
export function connectionsToFill(rateBps: number, rttMs: number, windowBytes: number): number {
  return ceilTolerant(
    finiteResult('connections', bdpBytes(rateBps, rttMs) / requirePositive('windowBytes', windowBytes)),
  );
}

/**
 * The smallest shift of the window scale option that can express a window (RFC 7323, section 2.2).
 * @returns 0 to 14, or null when no shift can. @throws {TheoryError}
 */
export function windowShiftFor(windowBytes: number): number | null {
  requirePositive('windowBytes', windowBytes);
  // Ends after at most 15 rounds.
  for (let shift = 0; shift <= MAX_WINDOW_SHIFT; shift++)
    if (MAX_UNSCALED_WINDOW_BYTES * 2 ** shift >= windowBytes) return shift;
  return null;
}

/** The largest window that a shift chosen at the SYN can express: 65535 * 2^shift (RFC 7323, section 2.2). @throws {TheoryError} */
export function largestWindowBytes(shift: number): number {
  const s = Math.min(requireWhole('shift', shift), MAX_WINDOW_SHIFT);
  return MAX_UNSCALED_WINDOW_BYTES * 2 ** s;
}
