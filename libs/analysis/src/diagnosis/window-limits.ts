import { largestWindowBytes, MAX_UNSCALED_WINDOW_BYTES, windowCeilingBps } from '../theory/bandwidth-delay.js';
import type { FlowView } from './flow-view.js';
import { type Numbers, theory } from './judgement.js';

/** From this share of its busy time on, a wait is what limits a flow. */
const MOST_OF_THE_TIME = 0.5;
/** Below this share the wait is a passing one (the window opening at the start, say). */
const HARDLY_EVER = 0.05;
/** A flow within 20 % below a window's ceiling fills that window. */
const FILLS = 0.8;
/** Above it by more than this, the window that was seen cannot be the limit. */
const ABOVE = 1.15;

/**
 * A sender that has filled its buffer is woken when a third of it is free (net/core/stream.c, sk_stream_write_space), so that it
 * swings between two thirds and the whole of it.
 */
const MEAN_OF_SWING = 5 / 6;

export interface WindowLimit {
  readonly binds: 'yes' | 'no' | 'cannot-tell';
  readonly ceilingBps?: number;
  readonly numbers: Numbers;
  readonly missing: readonly string[];
}

/**
 * Does the receiver's window hold the flow back? First what the kernel of the sender says (tcpi_rwnd_limited by
 * tcpi_busy_time: include/uapi/linux/tcp.h, net/ipv4/tcp_output.c tcp_chrono_start), then window * 8 / RTT from the window
 * on the socket (RFC 6349, section 3.3.1). A window that keeps closing is a slow reader, no small buffer.
 */
export function receiveWindowLimit(view: FlowView): WindowLimit {
  const { sender, streams } = view.flow;
  const windowBytes = sender?.sndWndMaxBytes;
  const { rttMs, perStreamBps, receiveWindowShare: share } = view;
  const perStream =
    windowBytes === undefined || rttMs === undefined ? undefined : theory(() => windowCeilingBps(windowBytes, rttMs));
  const ceilingBps = perStream === undefined ? undefined : perStream * streams;
  const fill = perStream === undefined || perStreamBps === undefined ? undefined : perStreamBps / perStream;
  const numbers = {
    measuredBps: view.measuredBps,
    windowBytes,
    rttMs,
    receiveWindowShare: share,
    inFlightMeanBytes: sender?.inFlightMeanBytes,
    fillRatio: fill,
  };
  const result = (binds: WindowLimit['binds'], missing: readonly string[] = []) => ({
    binds,
    ceilingBps,
    numbers,
    missing,
  });
  if (isSlowReader(view, fill)) return result('no');
  if (share !== undefined) {
    if (share < HARDLY_EVER) return result('no');
    if (share >= MOST_OF_THE_TIME) return result('yes');
    return result(fill !== undefined && fill >= FILLS && fill <= ABOVE ? 'yes' : 'no');
  }
  if (fill === undefined) return result('cannot-tell', lacks(view));
  if (fill < FILLS || fill > ABOVE) return result('no');
  return result(isQuiet(view) ? 'yes' : 'cannot-tell', ['share of busy time limited by the receive window']);
}

/** The reader of the data does not keep up: the window closes and opens, and on average little of it is offered. */
export const isSlowReader = (view: FlowView, fill: number | undefined): boolean => {
  const { sndWndMeanBytes, sndWndMaxBytes } = view.flow.sender ?? {};
  if (sndWndMeanBytes === undefined || sndWndMaxBytes === undefined || sndWndMaxBytes === 0) return false;
  return (view.receiveWindowShare ?? 0) >= HARDLY_EVER && sndWndMeanBytes / sndWndMaxBytes < 0.6 && (fill ?? 1) < FILLS;
};

/**
 * Does the sender's own buffer hold it back (tcpi_sndbuf_limited)? The payload it can keep in flight follows from what was in flight
 * at most: a part of the buffer, because the kernel counts its own overhead (include/linux/skbuff.h, truesize).
 */
export function sendBufferLimit(view: FlowView): WindowLimit {
  const { sender, streams } = view.flow;
  const { rttMs, perStreamBps, sendBufferShare: share } = view;
  const bufferBytes = sender?.sndBufMaxBytes;
  const inFlightMaxBytes = sender?.inFlightMaxBytes;
  // Where the socket was seen, the buffer is what the kernel gave it; otherwise it is only what was asked for.
  const heldBytes =
    bufferBytes === undefined ? inFlightMaxBytes : bufferBytes * (inFlightMaxBytes === undefined ? 1 : MEAN_OF_SWING);
  const perStream =
    heldBytes === undefined || rttMs === undefined ? undefined : theory(() => windowCeilingBps(heldBytes, rttMs));
  const ceilingBps = perStream === undefined ? undefined : perStream * streams;
  const fill = perStream === undefined || perStreamBps === undefined ? undefined : perStreamBps / perStream;
  const numbers = {
    measuredBps: view.measuredBps,
    sendBufferBytes: bufferBytes,
    inFlightMaxBytes: sender?.inFlightMaxBytes,
    rttMs,
    sendBufferShare: share,
    fillRatio: fill,
  };
  const result = (binds: WindowLimit['binds'], missing: readonly string[] = []) => ({
    binds,
    ceilingBps,
    numbers,
    missing,
  });
  if (share !== undefined) {
    if (share < HARDLY_EVER) return result('no');
    if (share >= MOST_OF_THE_TIME) return result('yes');
    return result(fill !== undefined && fill >= FILLS && fill <= ABOVE && share >= 0.2 ? 'yes' : 'no');
  }
  if (bufferBytes === undefined || fill === undefined)
    return result('cannot-tell', ['share of busy time limited by the send buffer', 'send buffer']);
  if (fill < FILLS || fill > ABOVE) return result('no');
  return result(isQuiet(view) ? 'yes' : 'cannot-tell', ['share of busy time limited by the send buffer']);
}

/** The window scale option was not negotiated, so no window above 65,535 B can be told (RFC 7323, section 2). */
export const lacksScaling = ({ flow }: FlowView): boolean | undefined => {
  const shifts = [flow.sender?.sndWscale, flow.receiver?.rcvWscale].filter((shift) => shift !== undefined);
  return shifts.length === 0 ? undefined : shifts.includes(null);
};

export const unscaledCeilingBps = (view: FlowView): number | undefined => {
  const { rttMs } = view;
  return rttMs === undefined
    ? undefined
    : theory(() => windowCeilingBps(MAX_UNSCALED_WINDOW_BYTES, rttMs) * view.flow.streams);
};

/** What a window is capped at by the shift that its SYN chose. */
export const scaledWindowCapBytes = (shift: number | null | undefined): number | undefined =>
  shift === undefined || shift === null ? undefined : theory(() => largestWindowBytes(shift));

/** Something at an end holds the flow back, whatever the path could do. */
export const isHeldByWindow = (view: FlowView): boolean =>
  receiveWindowLimit(view).binds === 'yes' || sendBufferLimit(view).binds === 'yes';

/** No loss to speak of and no queue: nothing else explains a steady rate. */
const isQuiet = (view: FlowView): boolean => (view.lossRatio ?? 0) < 1e-3 && (view.rttGrowthRatio ?? 0) < 0.15;

const lacks = (view: FlowView): string[] => [
  'share of busy time limited by the receive window',
  ...(view.flow.sender?.sndWndMaxBytes === undefined ? ["receiver's window as the sender saw it"] : []),
  ...(view.rttMs === undefined ? ['round-trip time under load'] : []),
];
