import { CongestionControl, throughputLimits } from '@plumbline/measure';
import { z } from 'zod';
import { everyTest } from '../../parameters.js';
import { bulkParameters } from '../../throughput-attempts.js';

/** The same transfer under several congestion controls. */
export const CongestionControlMatrixTest = z
  .strictObject({
    kind: z.literal('congestion-control-matrix'),
    ...everyTest,
    ...bulkParameters,
    algorithms: z
      .array(CongestionControl)
      .min(1)
      .max(16)
      .refine((names) => new Set(names).size === names.length, 'an algorithm is named twice')
      .meta({ description: 'Congestion controls as the kernel names them: cubic, reno, bbr.' }),
    streams: throughputLimits.streams.default(1).meta({ description: 'Streams at once in each transfer.' }),
    order: z.enum(['interleaved', 'grouped']).default('interleaved').meta({
      description:
        'interleaved: A B C, A B C, so that a drift of the path touches all alike; grouped: all repeats of one, then of the next.',
    }),
    windowBytes: throughputLimits.windowBytes.optional().meta({
      description: "Each stream's socket buffer to ask for at both ends. Switches autotuning off.",
    }),
  })
  .meta({ id: 'CongestionControlMatrixTest' });
export type CongestionControlMatrixTest = z.output<typeof CongestionControlMatrixTest>;
