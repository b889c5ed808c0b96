import type { SocketSample } from '@plumbline/model';
import type { SocketSummary } from './result.js';
import { dropUndefined, greatest, least, summariseSocket, type TestSpan } from './sockets.js';

/**
 * Sums up the data sockets of one end, one list of samples for each stream. Streams are connected one after the other and the
 * test begins when the last one is: so it is taken to begin with the first sample of the stream that came last.
 */
export function summariseStreams(
  streams: readonly (readonly SocketSample[])[],
  span: TestSpan,
): readonly (SocketSummary | undefined)[] {
  const firsts = streams.flatMap((samples) => least(samples.map((sample) => sample.elapsedMs)) ?? []);
  const beginMs = greatest(firsts);
  return streams.map((samples) => (samples.length > 0 ? summariseSocket(samples, span, beginMs) : undefined));
}

type Field = {
  [K in keyof SocketSummary]-?: NonNullable<SocketSummary[K]> extends number ? K : never;
}[keyof SocketSummary];

/**
 * Several streams' sockets as one: counters added up (unknown when one of them is), the largest windows, the round trips of
 * all. What a socket has and another has otherwise (the congestion control, a window scale) is left out.
 */
export function joinSockets(each: readonly (SocketSummary | undefined)[]): SocketSummary | undefined {
  const known = each.filter((summary) => summary !== undefined);
  const [first] = known;
  if (!first || known.length === 1) return first;
  const values = (field: Field): number[] => known.flatMap((summary) => summary[field] ?? []);
  const sum = (field: Field): number | undefined =>
    values(field).length === each.length ? values(field).reduce((a, b) => a + b, 0) : undefined;
  const same = <K extends keyof SocketSummary>(field: K): SocketSummary[K] | undefined =>
    known.every((summary) => summary[field] === first[field]) ? first[field] : undefined;
  return dropUndefined({
    sampleCount: known.reduce((total, { sampleCount }) => total + sampleCount, 0),
    rttMinMs: least(values('rttMinMs')),
    rttMeanMs: meanRttMs(known),
    rttMaxMs: greatest(values('rttMaxMs')),
    kernelMinRttMs: least(values('kernelMinRttMs')),
    cwndMaxBytes: greatest(values('cwndMaxBytes')),
    sndWndMaxBytes: greatest(values('sndWndMaxBytes')),
    rcvWndMaxBytes: greatest(values('rcvWndMaxBytes')),
    rcvBufMaxBytes: greatest(values('rcvBufMaxBytes')),
    sndBufMaxBytes: greatest(values('sndBufMaxBytes')),
    mssBytes: same('mssBytes'),
    congestionControl: same('congestionControl'),
    sndWscale: same('sndWscale'),
    rcvWscale: same('rcvWscale'),
    busyMs: sum('busyMs'),
    rwndLimitedMs: sum('rwndLimitedMs'),
    sndbufLimitedMs: sum('sndbufLimitedMs'),
    bytesSent: sum('bytesSent'),
    bytesRetransmitted: sum('bytesRetransmitted'),
    segmentsRetransmitted: sum('segmentsRetransmitted'),
  });
}

/** Of all samples, so that each counts alike. */
function meanRttMs(summaries: readonly SocketSummary[]): number | undefined {
  const having = summaries.filter(({ rttMeanMs }) => rttMeanMs !== undefined);
  const count = having.reduce((total, { sampleCount }) => total + sampleCount, 0);
  const sum = having.reduce((total, { sampleCount, rttMeanMs = 0 }) => total + sampleCount * rttMeanMs, 0);
  return count > 0 ? sum / count : undefined;
}
