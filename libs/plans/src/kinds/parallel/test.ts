import { CongestionControl, throughputLimits } from '@plumbline/measure';
import { z } from 'zod';
import { everyTest } from '../../parameters.js';
import { bulkParameters } from '../../throughput-attempts.js';

const Streams = throughputLimits.streams;

/** Several TCP streams at once. One stream is always measured too: it is what the sum is compared with. */
export const ParallelTest = z
  .strictObject({
    kind: z.literal('parallel'),
    ...everyTest,
    ...bulkParameters,
    streams: z
      .union([Streams, z.array(Streams).min(1).max(16)])
      .default(4)
      .meta({
        description: 'How many streams at once; of a list each is measured. One stream is measured in any case.',
      }),
    congestionControl: CongestionControl.optional(),
    windowBytes: throughputLimits.windowBytes.optional().meta({
      description: "Each stream's socket buffer to ask for at both ends. Switches autotuning off.",
    }),
  })
  .meta({ id: 'ParallelTest' });
export type ParallelTest = z.output<typeof ParallelTest>;

/** The counts that are measured, ascending: those asked for, and one. */
export const streamCounts = ({ streams }: Pick<ParallelTest, 'streams'>): readonly number[] =>
  [...new Set([1, ...(Array.isArray(streams) ? streams : [streams])])].sort((a, b) => a - b);
