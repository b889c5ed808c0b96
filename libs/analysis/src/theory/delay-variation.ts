import { requireFiniteList } from './theory-error.js';

export interface TimedPacket {
  sentMs: number;
  receivedMs: number;
}

/**
 * Interarrival jitter after each packet from the second on, packets in order of arrival: J += (|D| - J) / 16
 * (RFC 3550, section 6.4.1). An end-weighted mean: neither a maximum nor a delay variation (RFC 5481, section 6.6).
 * @returns ms, one value less than packets. @throws {TheoryError}
 */
export function interarrivalJitterMs(packets: readonly TimedPacket[]): number[] {
  const transit = packets.map((p) => p.receivedMs - p.sentMs);
  requireFiniteList('packets', transit);
  let jitter = 0;
  return transit.slice(1).map((now, i) => {
    jitter += (Math.abs(now - (transit[i] ?? now)) - jitter) / 16;
    return jitter;
  });
}

/** One-way or round-trip delays in ms in the order sent; null is a lost packet. */
export type Delays = readonly (number | null)[];

/** Delay against the packet before: D(i) - D(i-1), signed; null where either is lost, and for the first (RFC 5481, section 4.1; RFC 3393, section 2.4). @throws {TheoryError} */
export function interPacketDelayVariationMs(delaysMs: Delays): (number | null)[] {
  checked(delaysMs);
  return delaysMs.map((delay, i) => {
    const before = i === 0 ? null : (delaysMs[i - 1] ?? null);
    return delay === null || before === null ? null : delay - before;
  });
}

/** Delay above the smallest one: D(i) - Dmin; null where lost (RFC 5481, section 4.2). The clocks' offset falls out of it. @throws {TheoryError} */
export function packetDelayVariationMs(delaysMs: Delays): (number | null)[] {
  const smallest = checked(delaysMs).reduce((min, delay) => Math.min(min, delay), Number.POSITIVE_INFINITY);
  return delaysMs.map((delay) => (delay === null ? null : delay - smallest));
}

function checked(delaysMs: Delays): readonly number[] {
  return requireFiniteList(
    'delaysMs',
    delaysMs.filter((delay) => delay !== null),
  );
}
