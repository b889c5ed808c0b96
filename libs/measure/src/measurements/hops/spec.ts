import { z } from 'zod';

export const hopsLimits = {
  /** How many sizes of packets: the line through their times needs several. */
  sizes: z.int().min(4).max(64),
  /** How often each size is sent: the fastest counts, so that queues do not hide the link. */
  repetitions: z.int().min(2).max(64),
  maxBytes: z.int().min(128).max(9000),
  maxHops: z.int().min(1).max(30),
  maxDurationS: z.int().min(10).max(3600),
};

/**
 * Packets of several sizes to each hop, one at a time and in the lower-effort class. What it takes in all depends on how
 * willingly the hops answer, so the time has a limit of its own.
 */
export const HopsSpec = z
  .strictObject({
    sizes: hopsLimits.sizes.default(16),
    repetitions: hopsLimits.repetitions.default(16),
    maxBytes: hopsLimits.maxBytes.default(1500),
    maxHops: hopsLimits.maxHops.default(30),
    maxDurationS: hopsLimits.maxDurationS.default(900),
  })
  .meta({ id: 'HopsSpec' });
export type HopsSpec = z.output<typeof HopsSpec>;
