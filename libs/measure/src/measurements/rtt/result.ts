import { z } from 'zod';

/** Everything that a round-trip measurement said, the omitted requests excluded. */
export const RttResult = z
  .object({
    tool: z.string(),
    sent: z.int(),
    received: z.int(),
    duplicates: z.int(),
    /** One for each request in order; null: no reply. */
    rttsMs: z.array(z.number().nullable()),
    /** Replies that came without a time: then no RTT can be told. */
    untimed: z.int(),
    payloadBytes: z.int(),
    intervalS: z.number(),
    omitted: z.int(),
    /** ICMP errors by what they say, and from whom. */
    errors: z.array(z.object({ from: z.string(), text: z.string(), count: z.int() })),
  })
  .meta({ id: 'RttResult' });
export type RttResult = z.output<typeof RttResult>;
