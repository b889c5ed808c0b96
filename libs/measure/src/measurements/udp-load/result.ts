import { z } from 'zod';

const number = z.number();
const count = z.number().optional();

/** One reporting interval of the receiver. Lost may be negative: late datagrams that an earlier interval counted as lost. */
export const UdpLoadInterval = z.object({
  startS: number,
  durationS: number,
  bytes: number,
  rateBps: number,
  lost: count,
  packets: count,
});
export type UdpLoadInterval = z.output<typeof UdpLoadInterval>;

/** Everything that a UDP load said, whichever tool made it. Absent: nobody said. */
export const UdpLoadResult = z
  .object({
    tool: z.string(),
    direction: z.enum(['forward', 'reverse']),
    durationS: number,
    streams: z.int(),
    payloadBytes: z.int(),
    askedRateBps: number,
    versions: z.object({ near: z.string().optional(), far: z.string().optional() }),
    sent: z.object({ bytes: number, packets: count, durationS: number }).optional(),
    received: z
      .object({
        bytes: number,
        durationS: number,
        /** Up to the highest sequence number that was seen, lost ones included. */
        packets: count,
        /** Gaps in the sequence numbers, as they stood at the end. */
        lost: count,
        jitterMs: count,
        /** Worked out from the sender's rate and the loss, because the tool did not say it. */
        derived: z.boolean(),
      })
      .optional(),
    reordered: count,
    intervals: z.array(UdpLoadInterval),
    cpu: z.object({ sender: count, receiver: count }),
    error: z.string().optional(),
  })
  .meta({ id: 'UdpLoadResult' });
export type UdpLoadResult = z.output<typeof UdpLoadResult>;
