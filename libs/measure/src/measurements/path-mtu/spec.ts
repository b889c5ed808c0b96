import { z } from 'zod';

/** The smallest MTU of IPv4 (RFC 791) and the largest that an IP header can tell. */
const PacketBytes = z.int().min(68).max(65535);

export const pathMtuLimits = {
  ceilingBytes: PacketBytes,
  echoes: z.int().min(1).max(10),
  /** Seconds after which the attempt ends, however far it is. */
  deadlineS: z.int().min(1).max(3600),
};

/** Sizes of whole IP packets to try, each several times, none of them ever fragmented. No direction: from near to far. */
export const PathMtuSpec = z
  .strictObject({
    sizesBytes: z
      .array(PacketBytes)
      .min(1)
      .max(16)
      .refine((sizes) => new Set(sizes).size === sizes.length, 'a size is named twice'),
    echoes: pathMtuLimits.echoes.default(3),
    deadlineS: pathMtuLimits.deadlineS.optional(),
  })
  .meta({ id: 'PathMtuSpec' });
export type PathMtuSpec = z.output<typeof PathMtuSpec>;
