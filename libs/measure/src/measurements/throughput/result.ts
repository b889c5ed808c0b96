import { EndAccount } from '@plumbline/model';
import { z } from 'zod';

const number = z.number();

/** One reporting interval of one end. Times since the test began, the omitted part counting as well. Bits are payload. */
export const ThroughputInterval = z.object({
  startS: number,
  endS: number,
  durationS: number,
  bytes: number,
  rateBps: number,
  omitted: z.boolean(),
  retransmits: number.optional(),
  cwndBytes: number.optional(),
  sndWndBytes: number.optional(),
  rttMs: number.optional(),
});
export type ThroughputInterval = z.output<typeof ThroughputInterval>;

export const ThroughputTotal = z.object({ bytes: number, durationS: number, rateBps: number });
export type ThroughputTotal = z.output<typeof ThroughputTotal>;

/**
 * What the samples of one end's data socket say, the omitted part excluded. Counters are differences over that part. Of several
 * streams together: their counters added up, the largest of their windows, all their round trips.
 */
export const SocketSummary = z.object({
  sampleCount: z.int(),
  rttMinMs: number.optional(),
  rttMeanMs: number.optional(),
  rttMaxMs: number.optional(),
  /** The kernel's own minimum over the connection's life (tcpi_min_rtt). */
  kernelMinRttMs: number.optional(),
  cwndMaxBytes: number.optional(),
  sndWndMaxBytes: number.optional(),
  rcvWndMaxBytes: number.optional(),
  rcvBufMaxBytes: number.optional(),
  sndBufMaxBytes: number.optional(),
  mssBytes: number.optional(),
  congestionControl: z.string().optional(),
  sndWscale: number.optional(),
  rcvWscale: number.optional(),
  busyMs: number.optional(),
  rwndLimitedMs: number.optional(),
  sndbufLimitedMs: number.optional(),
  bytesSent: number.optional(),
  bytesRetransmitted: number.optional(),
  segmentsRetransmitted: number.optional(),
});
export type SocketSummary = z.output<typeof SocketSummary>;

const bothEnds = <T extends z.ZodType>(value: T) => z.object({ sender: value.optional(), receiver: value.optional() });

/** What one of several streams did. */
export const ThroughputStream = z.object({
  /** From 1 on, in the order in which they were connected. */
  stream: z.int(),
  totals: bothEnds(ThroughputTotal),
  retransmits: number.optional(),
  sockets: bothEnds(SocketSummary),
});
export type ThroughputStream = z.output<typeof ThroughputStream>;

/** Everything that a throughput attempt said, whichever tool measured it. Absent: nobody said. */
export const ThroughputResult = z
  .object({
    tool: z.string(),
    direction: z.enum(['forward', 'reverse']),
    durationS: number,
    omitS: number,
    versions: z.object({ near: z.string().optional(), far: z.string().optional() }),
    connection: z
      .object({ localAddress: z.string(), localPort: number, peerAddress: z.string(), peerPort: number })
      .optional(),
    mssBytes: number.optional(),
    congestionControl: bothEnds(z.string()),
    /** What the kernel gave (Linux: twice what was asked for), from the near end. */
    buffers: z.object({ sndBufBytes: number.optional(), rcvBufBytes: number.optional() }),
    totals: bothEnds(ThroughputTotal),
    intervals: z.object({ sender: z.array(ThroughputInterval), receiver: z.array(ThroughputInterval) }),
    retransmits: number.optional(),
    /** CPU time by wall-clock time, of one core. */
    cpu: bothEnds(number),
    sockets: bothEnds(SocketSummary),
    /** Each of several streams; absent: there was one. */
    streams: z.array(ThroughputStream).optional(),
    baseline: z
      .object({ sent: z.int(), received: z.int(), minMs: number.optional(), meanMs: number.optional() })
      .optional(),
    /** What the committed rate carries of payload, headers without options taken off. */
    idealRateBps: number.optional(),
    /** Both ends beside each other, for the run document. */
    ends: z.array(EndAccount).optional(),
    /** The tool's own words. */
    error: z.string().optional(),
  })
  .meta({ id: 'ThroughputResult' });
export type ThroughputResult = z.output<typeof ThroughputResult>;
