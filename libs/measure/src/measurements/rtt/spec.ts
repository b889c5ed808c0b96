import { Port } from '@plumbline/model';
import { z } from 'zod';

/** Limits shared by the spec and by the tests of a plan. */
export const rttLimits = {
  count: z.int().min(1).max(100_000),
  /** Seconds; iputils refuses less than 0.002 to users, and less than 0.2 before 20210722. */
  intervalS: z.number().min(0.002).max(60),
  /** ICMP data bytes. ping needs 16 for its time stamp; 65507 fit in an IPv4 packet. */
  payloadBytes: z.int().min(16).max(65507),
};

/** Echo requests, or SYNs to a port, at a fixed interval. The first `omitCount` (ARP, route look-ups) are sent besides `count` and not counted. */
export const RttSpec = z
  .strictObject({
    count: rttLimits.count,
    intervalS: rttLimits.intervalS,
    omitCount: z.int().min(0).max(30_000).default(0),
    payloadBytes: rttLimits.payloadBytes.default(56),
    method: z.enum(['icmp', 'tcp-syn']).default('icmp'),
    /** Of tcp-syn; 443 when absent. */
    port: Port.optional(),
  })
  .meta({ id: 'RttSpec' });
export type RttSpec = z.output<typeof RttSpec>;
