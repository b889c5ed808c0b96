import { z } from 'zod';

/** A hop that is not what it was. Silence is no change: a hop that only did not answer is not listed. */
export const HopChange = z
  .object({
    what: z.enum(['appeared', 'vanished', 'changed']),
    /** Counts from 1, on the way as it is now; of a hop that vanished, where it was. */
    hop: z.int(),
    /** Who answered there, flows together; several where the way divides. */
    before: z.array(z.string()),
    after: z.array(z.string()),
  })
  .meta({ id: 'HopChange' });
export type HopChange = z.output<typeof HopChange>;

/** A way beside the last one that was seen of the same path, by the same method with as many flows, the same way round. */
export const RouteChanges = z
  .object({
    /** Null: there is no earlier one. */
    since: z.object({ run: z.uuid(), attempt: z.uuid(), endedAt: z.iso.datetime() }).nullable(),
    hops: z.array(HopChange),
    /** Hops to the far end, itself included. Null where it did not answer. */
    length: z.object({ before: z.int().nullable(), after: z.int().nullable() }),
  })
  .meta({ id: 'RouteChanges' });
export type RouteChanges = z.output<typeof RouteChanges>;
