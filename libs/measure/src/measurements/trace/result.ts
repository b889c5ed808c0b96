import { z } from 'zod';

const ms = z.number().optional();

/** One hop of one flow. */
export const TraceHop = z.object({
  /** Counts from 1. */
  hop: z.int(),
  /** Who answered; several when the way changed while it was asked. None: silence. */
  hosts: z.array(z.string()),
  sent: z.int(),
  answered: z.int(),
  rttMinMs: ms,
  rttMeanMs: ms,
  rttMaxMs: ms,
});
export type TraceHop = z.output<typeof TraceHop>;

export const TraceFlow = z.object({
  /** Counts from 1. */
  flow: z.int(),
  /** Whether the far end itself answered, as the last hop. */
  reached: z.boolean(),
  hops: z.array(TraceHop),
});
export type TraceFlow = z.output<typeof TraceFlow>;

/** Everything that a trace said, whichever tool walked it. */
export const TraceResult = z
  .object({
    tool: z.string(),
    method: z.enum(['icmp', 'udp', 'tcp-syn']),
    destination: z.string(),
    /** All packets of a flow have the same addresses and ports, so that a load balancer keeps them together. */
    pinned: z.boolean(),
    /** Whether the tool counts what was not answered: one that asks each hop once cannot tell loss. */
    counted: z.boolean(),
    flows: z.array(TraceFlow),
  })
  .meta({ id: 'TraceResult' });
export type TraceResult = z.output<typeof TraceResult>;
