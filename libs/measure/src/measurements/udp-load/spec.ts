import { z } from 'zod';

/** Limits shared by the spec and by the tests of a plan. Rates are payload bits a second, all streams together. */
export const udpLoadLimits = {
  durationS: z.int().min(1).max(3600),
  rateBps: z.int().min(1000).max(1e12),
  /** iperf3's MAX_STREAMS is 128 (src/iperf.h). */
  streams: z.int().min(1).max(128),
  /** iperf3's MIN_UDP_BLOCKSIZE is 16: its time stamp and sequence number; 65507 fit in an IPv4 packet (src/iperf.h). */
  payloadBytes: z.int().min(16).max(65507),
  dscp: z.int().min(0).max(63),
};

/**
 * A constant load of UDP datagrams. `forward` is near to far. `rateBps` is what all streams offer together: no stream
 * multiplies it. Nothing is omitted at the start: a load without congestion control has no slow start.
 */
export const UdpLoadSpec = z
  .strictObject({
    direction: z.enum(['forward', 'reverse']),
    durationS: udpLoadLimits.durationS,
    rateBps: udpLoadLimits.rateBps,
    streams: udpLoadLimits.streams.default(1),
    payloadBytes: udpLoadLimits.payloadBytes,
    dscp: udpLoadLimits.dscp.optional(),
  })
  .meta({ id: 'UdpLoadSpec' });
export type UdpLoadSpec = z.output<typeof UdpLoadSpec>;
