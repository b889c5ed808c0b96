import { CongestionControl, throughputLimits } from '@plumbline/measure';
import { z } from 'zod';
import { everyTest } from '../../parameters.js';
import { bulkParameters } from '../../throughput-attempts.js';

/** One TCP stream under several socket buffers. */
export const WindowSweepTest = z
  .strictObject({
    kind: z.literal('window-sweep'),
    ...everyTest,
    ...bulkParameters,
    windowsBytes: z
      .array(throughputLimits.windowBytes)
      .min(1)
      .max(32)
      .refine((sizes) => new Set(sizes).size === sizes.length, 'a window is named twice')
      .meta({
        description:
          'Socket buffers to ask for at both ends, in bytes. Linux doubles each and advertises a part of it: the window that counts is the sampled one.',
      }),
    congestionControl: CongestionControl.optional(),
  })
  .meta({ id: 'WindowSweepTest' });
export type WindowSweepTest = z.output<typeof WindowSweepTest>;
