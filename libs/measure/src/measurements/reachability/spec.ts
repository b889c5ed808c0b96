import { Port } from '@plumbline/model';
import { z } from 'zod';

export const reachabilityLimits = {
  port: Port,
  count: z.int().min(1).max(1000),
  intervalS: z.number().min(0.01).max(60),
  /** Seconds after which the attempt ends, however far it is. */
  deadlineS: z.int().min(1).max(3600),
};

/** A few TCP SYNs to one port of the far end. */
export const ReachabilitySpec = z
  .strictObject({
    port: reachabilityLimits.port,
    count: reachabilityLimits.count.default(5),
    intervalS: reachabilityLimits.intervalS.default(0.5),
    deadlineS: reachabilityLimits.deadlineS.optional(),
  })
  .meta({ id: 'ReachabilitySpec' });
export type ReachabilitySpec = z.output<typeof ReachabilitySpec>;
