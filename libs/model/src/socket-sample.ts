import { z } from 'zod';

export const End = z.enum(['near', 'far']);
/** Which end of the path: `near` is the source's probe, `far` the destination's. */
export type End = z.output<typeof End>;

const n = z.number().optional();

/** One TCP socket at one moment, from `ss -tinm`. Absent means that this kernel or ss did not say. Times ms, sizes bytes. */
export const SocketSample = z
  .object({
    end: End,
    /** Since the test's program started, on that probe's monotonic clock. */
    elapsedMs: z.number(),
    localAddress: z.string(),
    localPort: z.number(),
    peerAddress: z.string(),
    peerPort: z.number(),
    state: z.string(),
    congestionControl: z.string().optional(),
    rttMs: n,
    rttVarMs: n,
    minRttMs: n,
    /** Receiver-side estimate. */
    rcvRttMs: n,
    mssBytes: n,
    pmtuBytes: n,
    cwndSegments: n,
    ssthreshSegments: n,
    unackedSegments: n,
    /** Written by the program and not yet sent. */
    notSentBytes: n,
    bytesSent: n,
    bytesAcked: n,
    bytesReceived: n,
    bytesRetransmitted: n,
    segmentsRetransmitted: n,
    segmentsLost: n,
    segmentsSacked: n,
    dsackDuplicates: n,
    reorderingSeen: n,
    /** The peer's advertised window as this sender sees it. */
    sndWndBytes: n,
    /** What this receiver advertises (kernel 6.2, iproute2 6.6). */
    rcvWndBytes: n,
    rcvSsthreshBytes: n,
    rcvSpaceBytes: n,
    /** Shifts of the window-scale option; absent: not negotiated. */
    sndWscale: n,
    rcvWscale: n,
    busyMs: n,
    rwndLimitedMs: n,
    sndbufLimitedMs: n,
    pacingBps: n,
    deliveryBps: n,
    sendBps: n,
    bbrBwBps: n,
    bbrMinRttMs: n,
    appLimited: z.boolean().optional(),
    rcvBufBytes: n,
    sndBufBytes: n,
    /** Keys that the parser did not know, kept with their text. */
    other: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'SocketSample' });
export type SocketSample = z.output<typeof SocketSample>;
