import { z } from 'zod';
import { findObjects, parseObject } from './json.js';

const number = z.number().nullish().catch(undefined);
const flag = z.boolean().nullish().catch(undefined);
/** A part that does not have its form is as good as absent: what it was is in the kept output. */
const part = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const list = <T extends z.ZodType>(schema: T) => z.array(part(schema)).nullish().catch(undefined);

const Sum = z.object({
  start: number,
  end: number,
  seconds: number,
  bytes: number,
  jitter_ms: number,
  lost_packets: number,
  packets: number,
  out_of_order: number,
  omitted: flag,
  sender: flag,
});
export type UdpSum = z.output<typeof Sum>;

/** What iperf3's JSON says of UDP (src/iperf_api.c, iperf_print_results and iperf_print_intermediate, 3.9 to 3.21). */
const UdpDocument = z.object({
  start: part(
    z.object({
      test_start: part(
        z.object({
          protocol: z.string().nullish().catch(undefined),
          num_streams: number,
          blksize: number,
          duration: number,
          reverse: number,
        }),
      ),
    }),
  ),
  intervals: list(z.object({ sum: part(Sum) })),
  end: part(
    z.object({
      streams: list(z.object({ udp: part(Sum) })),
      /** The only one before 3.11: sent bytes over the receiver's seconds, with the receiver's loss. */
      sum: part(Sum),
      sum_sent: part(Sum),
      sum_received: part(Sum),
    }),
  ),
});
export type UdpDocument = z.output<typeof UdpDocument>;

/** The UDP numbers of the last whole document in a text; undefined: there is none. Never throws. */
export function readUdpDocument(stdout: string): UdpDocument | undefined {
  const last = findObjects(stdout)
    .objects.flatMap((object) => parseObject(object)?.value ?? [])
    .at(-1);
  return UdpDocument.safeParse(last).data;
}
