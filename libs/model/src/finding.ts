import { z } from 'zod';

export const FindingCode = z.enum([
  'link-limited',
  'receive-window-limited',
  'send-buffer-limited',
  'application-window-limited',
  'window-scaling-missing',
  'loss-limited',
  'congestion-control-mismatch',
  'policed',
  'per-flow-capped',
  'host-cpu-limited',
  'rtt-bound',
  'mtu-black-hole',
  'fragmentation',
  'reordering',
  'bufferbloat',
  'asymmetric',
  'startup-dominated',
  'competing-traffic',
  'parallel-hides-single-flow',
  'below-committed-rate',
  'inconclusive',
]);
export type FindingCode = z.output<typeof FindingCode>;

/** What the diagnosis concluded, with the numbers that show it; prose is made from `evidence` last. */
export const Finding = z
  .object({
    code: FindingCode,
    holds: z.enum(['yes', 'no', 'cannot-tell']),
    evidence: z.record(z.string(), z.number()),
    predictedCeilingBps: z.number().optional(),
    missing: z.array(z.string()).optional(),
    text: z.string().optional(),
  })
  .meta({ id: 'Finding' });
export type Finding = z.output<typeof Finding>;
