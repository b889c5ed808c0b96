import { z } from 'zod';

/** Everything that a reachability attempt said. Of each SYN one thing counts: an answer of the port before an error. */
export const ReachabilityResult = z
  .object({
    tool: z.string(),
    port: z.int(),
    sent: z.int(),
    open: z.int(),
    closed: z.int(),
    rejected: z.int(),
    rttsMs: z.array(z.number()),
    /** ICMP errors by what they say, and from whom. */
    errors: z.array(z.object({ from: z.string(), text: z.string(), count: z.int() })),
  })
  .meta({ id: 'ReachabilityResult' });
export type ReachabilityResult = z.output<typeof ReachabilityResult>;
