import { Port } from '@plumbline/model';
import { z } from 'zod';

export const traceLimits = {
  flows: z.int().min(1).max(8),
  cycles: z.int().min(1).max(100),
  maxHops: z.int().min(1).max(64),
  port: Port,
  /** Seconds after which the attempt ends, however far it is. */
  deadlineS: z.int().min(1).max(3600),
};

/**
 * The hops on the way. A flow is a series of packets that a load balancer keeps on one way; several flows show the others.
 * `cycles` is how often each hop of a flow is asked.
 */
export const TraceSpec = z
  .strictObject({
    method: z.enum(['icmp', 'udp', 'tcp-syn']).default('icmp'),
    flows: traceLimits.flows.default(1),
    cycles: traceLimits.cycles.default(10),
    maxHops: traceLimits.maxHops.default(30),
    /** Of tcp-syn. */
    port: traceLimits.port.default(443),
    deadlineS: traceLimits.deadlineS.optional(),
  })
  .meta({ id: 'TraceSpec' });
export type TraceSpec = z.output<typeof TraceSpec>;
