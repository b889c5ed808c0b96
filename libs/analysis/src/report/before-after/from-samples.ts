import type { End, SocketSample } from '@plumbline/model';
import type { RatePoint, SideData, SizePoint } from './input.js';

export interface SampleOptions {
  /** Which end sends the payload: near in the forward direction. */
  sender: End;
  /** Seconds at the start that the test leaves out; default 0. Times are counted from their end. */
  omitS?: number;
}

/**
 * The report's pictures from the samples of `ss`. Of several sockets the one that carried most is taken: a control
 * connection carries next to nothing. Throughput is counted at the receiver where its kernel says how much came.
 */
export function seriesFromSamples(
  samples: readonly SocketSample[],
  { sender, omitS = 0 }: SampleOptions,
): Pick<SideData, 'throughputSeries' | 'windowSeries' | 'inFlightSeries'> {
  const sent = busiest(
    samples.filter((s) => s.end === sender),
    (s) => s.bytesAcked ?? s.bytesSent,
  );
  const received = busiest(
    samples.filter((s) => s.end !== sender),
    (s) => s.bytesReceived,
  );
  const atReceiver = rates(received, (s) => s.bytesReceived, omitS);
  return {
    throughputSeries: atReceiver.length > 0 ? atReceiver : rates(sent, (s) => s.bytesAcked, omitS),
    windowSeries: sizes(sent, (s) => s.sndWndBytes, omitS),
    inFlightSeries: sizes(sent, inFlightBytes, omitS),
  };
}

type Counter = (sample: SocketSample) => number | undefined;

function inFlightBytes({ unackedSegments, mssBytes }: SocketSample): number | undefined {
  return unackedSegments === undefined || mssBytes === undefined ? undefined : unackedSegments * mssBytes;
}

/** The samples of the socket whose counter went furthest, in order of time. */
function busiest(samples: readonly SocketSample[], counter: Counter): SocketSample[] {
  const sockets = new Map<string, SocketSample[]>();
  for (const sample of samples) {
    const key = `${sample.localPort} ${sample.peerPort}`;
    sockets.set(key, [...(sockets.get(key) ?? []), sample]);
  }
  const largest = (list: readonly SocketSample[]) => Math.max(...list.map((s) => counter(s) ?? 0));
  const [first = []] = [...sockets.values()].sort((a, b) => largest(b) - largest(a));
  return first.toSorted((a, b) => a.elapsedMs - b.elapsedMs);
}

function sizes(samples: readonly SocketSample[], pick: Counter, omitS: number): SizePoint[] {
  return samples.flatMap((sample) => {
    const [tS, bytes] = [sample.elapsedMs / 1000 - omitS, pick(sample)];
    return bytes === undefined || tS < 0 ? [] : [{ tS, bytes }];
  });
}

/** Differences of a counter over time, at the later of two samples. */
function rates(samples: readonly SocketSample[], counter: Counter, omitS: number): RatePoint[] {
  const known = samples.filter((s) => counter(s) !== undefined);
  return known.slice(1).flatMap((sample, i) => {
    const before = known[i] ?? sample;
    const [ms, bytes] = [sample.elapsedMs - before.elapsedMs, (counter(sample) ?? 0) - (counter(before) ?? 0)];
    const tS = sample.elapsedMs / 1000 - omitS;
    // A counter that goes back belongs to another connection on the same ports.
    return ms <= 0 || bytes < 0 || tS < 0 ? [] : [{ tS, bps: (bytes * 8 * 1000) / ms }];
  });
}
