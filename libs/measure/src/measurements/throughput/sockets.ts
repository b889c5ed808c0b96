import type { SocketSample } from '@plumbline/model';
import type { SocketSummary } from './result.js';

type Field = {
  [K in keyof SocketSample]-?: NonNullable<SocketSample[K]> extends number ? K : never;
}[keyof SocketSample];

/** The socket closes within a second of the test's end; what comes later is of no test. */
const TAIL_MS = 1_000;

/** How the seconds of a test are shared out. */
export interface TestSpan {
  readonly omitS: number;
  readonly durationS: number;
}

/**
 * Sums up the samples of one data socket of one end, without the omitted part. The test is taken to begin with the first
 * sample, which comes at most one sampling interval late. Undefined: no sample of the measured part.
 * @param beginMs when the test began, where that is known better
 */
export function summariseSocket(
  samples: readonly SocketSample[],
  { omitS, durationS }: TestSpan,
  beginMs?: number,
): SocketSummary | undefined {
  const sorted = [...samples].sort((a, b) => a.elapsedMs - b.elapsedMs);
  const begin = beginMs ?? sorted[0]?.elapsedMs;
  if (begin === undefined) return undefined;
  const boundary = begin + omitS * 1000;
  const counted = sorted.filter((s) => s.elapsedMs >= boundary && s.elapsedMs <= boundary + durationS * 1000 + TAIL_MS);
  const last = counted.at(-1);
  if (!last) return undefined;
  // The state of the counters when the omitted part ended; without one they started at zero.
  const before = omitS > 0 ? sorted.filter((s) => s.elapsedMs <= boundary).at(-1) : undefined;
  const since = (field: Field) => growth(last[field], before ? before[field] : 0);
  const rtts = known(counted, 'rttMs');
  return dropUndefined({
    sampleCount: counted.length,
    rttMinMs: least(rtts),
    rttMeanMs: rtts.length > 0 ? rtts.reduce((sum, rtt) => sum + rtt, 0) / rtts.length : undefined,
    rttMaxMs: greatest(rtts),
    kernelMinRttMs: last.minRttMs,
    cwndMaxBytes: greatest(counted.flatMap((s) => (s.cwndSegments && s.mssBytes ? [s.cwndSegments * s.mssBytes] : []))),
    sndWndMaxBytes: greatest(known(counted, 'sndWndBytes')),
    rcvWndMaxBytes: greatest(known(counted, 'rcvWndBytes')),
    rcvBufMaxBytes: greatest(known(counted, 'rcvBufBytes')),
    sndBufMaxBytes: greatest(known(counted, 'sndBufBytes')),
    mssBytes: last.mssBytes,
    congestionControl: last.congestionControl,
    sndWscale: last.sndWscale,
    rcvWscale: last.rcvWscale,
    busyMs: since('busyMs'),
    rwndLimitedMs: since('rwndLimitedMs'),
    sndbufLimitedMs: since('sndbufLimitedMs'),
    bytesSent: since('bytesSent'),
    bytesRetransmitted: since('bytesRetransmitted'),
    segmentsRetransmitted: since('segmentsRetransmitted'),
  });
}

/** Undefined when either is unknown, or when the counter went back: another socket's, then. */
const growth = (now: number | undefined, before: number | undefined): number | undefined =>
  now === undefined || before === undefined || now < before ? undefined : now - before;

const known = (samples: readonly SocketSample[], field: Field): number[] =>
  samples.flatMap((sample) => sample[field] ?? []);

// Not Math.max(...values): a long test has more samples than a call may have arguments.
export const greatest = (values: readonly number[]): number | undefined =>
  values.length > 0 ? values.reduce((a, b) => Math.max(a, b)) : undefined;
export const least = (values: readonly number[]): number | undefined =>
  values.length > 0 ? values.reduce((a, b) => Math.min(a, b)) : undefined;

export const dropUndefined = (summary: SocketSummary): SocketSummary => {
  const { sampleCount, ...rest } = summary;
  return { sampleCount, ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) };
};
