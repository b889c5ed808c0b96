import { z } from 'zod';

/** Name of a congestion control as the kernel lists it (TCP_CA_NAME_MAX is 16 bytes with its closing zero). */
export const CongestionControl = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,14}$/, 'a congestion control as the kernel names it, such as cubic or bbr');

/** What the path promises, for ratios to it. `mtuBytes` is the path's MTU. */
export const Committed = z.strictObject({
  rateBps: z.number().positive().max(1e15),
  layer: z.enum(['ethernet', 'ip', 'payload']),
  mtuBytes: z.int().min(68).max(65535),
});
export type Committed = z.output<typeof Committed>;

/** What every version of iperf3 that is understood can set (MAX_MSS in src/iperf.h): a plan does not know which it will meet. */
const COMMON_MSS_BYTES = 9216;

/** Limits shared by the spec and by the tests of a plan. */
export const throughputLimits = {
  durationS: z.int().min(1).max(3600),
  /** iperf3 before 3.18 refuses more than 60 s (iperf_api.c, case 'O'). */
  omitS: z.int().min(0).max(60),
  /** iperf3's MAX_TCP_BUFFER is 512 MiB. Linux doubles what is asked for (socket(7), SO_SNDBUF). */
  windowBytes: z
    .int()
    .min(1024)
    .max(512 * 1024 * 1024),
  /** Linux: TCP_MIN_MSS is 88. iperf3's MAX_MSS is 9216, from 3.21 on 32767. */
  mssBytes: z.int().min(88).max(32767),
  /** Of a plan. */
  planMssBytes: z
    .int()
    .min(88)
    .max(COMMON_MSS_BYTES, `at most ${COMMON_MSS_BYTES} bytes: iperf3 before 3.21 sets no larger MSS`),
  dscp: z.int().min(0).max(63),
  /** iperf3's MAX_STREAMS is 128 (src/iperf.h). */
  streams: z.int().min(1).max(128),
  rateBps: z.int().min(1000).max(1e12),
};

/**
 * A bulk TCP transfer of one or several streams at once. `forward` is near to far; `simultaneous` is both ways at once, with so
 * many streams each way. Bytes of the first `omitS` seconds are not counted. `rateBps` is that of all streams of one way
 * together; windows and segment sizes are each stream's own.
 */
export const ThroughputSpec = z
  .strictObject({
    direction: z.enum(['forward', 'reverse', 'simultaneous']),
    durationS: throughputLimits.durationS,
    omitS: throughputLimits.omitS.default(0),
    streams: throughputLimits.streams.default(1),
    congestionControl: CongestionControl.optional(),
    windowBytes: throughputLimits.windowBytes.optional(),
    mssBytes: throughputLimits.mssBytes.optional(),
    dscp: throughputLimits.dscp.optional(),
    rateBps: throughputLimits.rateBps.optional(),
    committed: Committed.optional(),
    /** Captures the headers of its packets at both ends. Absent: no. */
    capture: z.boolean().optional(),
  })
  .meta({ id: 'ThroughputSpec' });
export type ThroughputSpec = z.output<typeof ThroughputSpec>;

/** A transfer one way: what its results are read as, each way by itself. */
export type OneWaySpec = ThroughputSpec & { readonly direction: Exclude<ThroughputSpec['direction'], 'simultaneous'> };

/** In how many ways data travels at the same time. */
export const waysOf = ({ direction }: Pick<ThroughputSpec, 'direction'>): number =>
  direction === 'simultaneous' ? 2 : 1;
