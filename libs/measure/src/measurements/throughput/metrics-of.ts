import {
  bufferDelayRatio,
  idealTransferTimeS,
  jainFairness,
  TheoryError,
  tcpEfficiency,
  transferTimeRatio,
} from '@plumbline/analysis';
import { type Ending, type Labels, type Metric, metricOr, missing, type NullReason, type Unit } from '@plumbline/model';
import { fairness } from './fairness.js';
import { throughputMetrics } from './metrics.js';
import type { SocketSummary, ThroughputInterval, ThroughputResult, ThroughputStream } from './result.js';

type Name = (typeof throughputMetrics)[number]['name'];
/** A value, or why there is none. */
type Value = { value: number } | { reason: NullReason };

const known = (value: number | undefined, reason: NullReason): Value =>
  value === undefined || !Number.isFinite(value) ? { reason } : { value };
const ratio = (numerator: number | undefined, denominator: number | undefined, reason: NullReason): Value => {
  if (numerator === undefined || denominator === undefined) return { reason };
  return denominator === 0 ? { reason: 'denominator-zero' } : known(numerator / denominator, reason);
};

/**
 * The metrics of an attempt. Of one that neither completed nor was cut short after its intervals, all are null: whatever
 * was printed before a failure is in the result, not in a metric. Of several streams: those of all together, how even they
 * were, and then each stream's own, labelled by its number.
 */
export function throughputMetricsOf(result: ThroughputResult | undefined, ending: Ending, streams = 1): Metric[] {
  const holds = result !== undefined && (ending.outcome === 'completed' || ending.outcome === 'partial');
  const facts = streams > 1 ? [...throughputMetrics, fairness] : throughputMetrics;
  if (!holds) return facts.map(({ name, unit }) => missing(name, unit, 'attempt-failed'));
  const values = valuesOf(result);
  const together = throughputMetrics.map(({ name, unit }) => asMetric(name, unit, values[name]));
  if (streams === 1) return together;
  return [
    ...together,
    asMetric(fairness.name, fairness.unit, fairnessOf(result)),
    ...(result.streams ?? []).flatMap(streamMetrics),
  ];
}

const asMetric = (name: string, unit: Unit, value: Value, labels?: Labels): Metric =>
  'value' in value
    ? metricOr(name, unit, value.value, 'not-measured-here', labels)
    : missing(name, unit, value.reason, labels);

/** Of what each stream's receiver counted. */
function fairnessOf({ streams = [] }: ThroughputResult): Value {
  const rates = streams.flatMap(({ totals }) => totals.receiver?.rateBps ?? []);
  if (rates.length === 0 || rates.length < streams.length) return { reason: 'receiver-totals-missing' };
  // Even shares may come out a last digit above 1.
  return theory(() => Math.min(1, jainFairness(rates) ?? Number.NaN));
}

/** A stream's own numbers: what it got, and what tells why. */
function streamMetrics({ stream, totals, retransmits, sockets: { sender } }: ThroughputStream): Metric[] {
  const labels = { stream: String(stream) };
  const values: Partial<Record<Name, Value>> = {
    throughput: known(totals.receiver?.rateBps, 'receiver-totals-missing'),
    retransmits: known(retransmits ?? sender?.segmentsRetransmitted, 'counter-not-available'),
    'rtt.mean': known(sender?.rttMeanMs, 'not-measured-here'),
    'cwnd.max': known(sender?.cwndMaxBytes, 'not-measured-here'),
    'window.max': known(sender?.sndWndMaxBytes, sender ? 'counter-not-available' : 'not-measured-here'),
  };
  return throughputMetrics.flatMap(({ name, unit }) => {
    const value = values[name];
    return value ? [asMetric(name, unit, value, labels)] : [];
  });
}

function valuesOf(result: ThroughputResult): Record<Name, Value> {
  const socket = result.sockets.sender;
  const sent = result.intervals.sender.filter((interval) => !interval.omitted);
  const rtt = rttOf(socket, sent);
  const throughput = known(result.totals.receiver?.rateBps, 'receiver-totals-missing');
  const baseline = baselineOf(result);
  return {
    throughput,
    retransmits: known(result.retransmits ?? socket?.segmentsRetransmitted, 'counter-not-available'),
    'rtt.min': known(rtt?.min, 'not-measured-here'),
    'rtt.mean': known(rtt?.mean, 'not-measured-here'),
    'rtt.max': known(rtt?.max, 'not-measured-here'),
    'rtt.baseline': baseline,
    'cwnd.max': known(
      greatest([socket?.cwndMaxBytes, ...sent.map((interval) => interval.cwndBytes)]),
      'not-measured-here',
    ),
    'window.max': known(
      greatest([socket?.sndWndMaxBytes, ...sent.map((interval) => interval.sndWndBytes)]),
      'counter-not-available',
    ),
    'limited.receive-window': share(socket, socket?.rwndLimitedMs),
    'limited.send-buffer': share(socket, socket?.sndbufLimitedMs),
    'cpu.sender': known(result.cpu.sender, 'not-measured-here'),
    'cpu.receiver': known(result.cpu.receiver, 'not-measured-here'),
    efficiency: efficiencyOf(result),
    'buffer-delay': bufferDelay(rtt?.mean, baseline),
    'transfer-time-ratio': transferTimeOf(result),
  };
}

/** From the samples of the sender's socket, four a second; else from the tool's intervals. */
function rttOf(
  socket: SocketSummary | undefined,
  sent: readonly ThroughputInterval[],
): { min: number; mean: number; max: number } | undefined {
  if (socket && socket.sampleCount > 1 && socket.rttMeanMs !== undefined)
    return { min: socket.rttMinMs ?? Number.NaN, mean: socket.rttMeanMs, max: socket.rttMaxMs ?? Number.NaN };
  const rtts = sent.flatMap((interval) => interval.rttMs ?? []);
  if (rtts.length === 0) return undefined;
  const mean = rtts.reduce((sum, rtt) => sum + rtt, 0) / rtts.length;
  return { min: rtts.reduce((a, b) => Math.min(a, b)), mean, max: rtts.reduce((a, b) => Math.max(a, b)) };
}

function baselineOf({ baseline }: ThroughputResult): Value {
  if (!baseline) return { reason: 'baseline-missing' };
  return known(baseline.minMs, baseline.received === 0 ? 'no-reply' : 'baseline-missing');
}

/** RFC 6349 section 4.3: divided by the baseline, not by the mean. */
function bufferDelay(meanMs: number | undefined, baseline: Value): Value {
  if ('reason' in baseline) return { reason: 'baseline-missing' };
  return meanMs === undefined
    ? { reason: 'not-measured-here' }
    : theory(() => bufferDelayRatio(meanMs, baseline.value));
}

/** RFC 6349 section 4.1: the time that the received bytes took by the time that the committed rate would need. */
function transferTimeOf({ totals: { receiver }, idealRateBps }: ThroughputResult): Value {
  if (!receiver) return { reason: 'receiver-totals-missing' };
  if (idealRateBps === undefined) return { reason: 'contract-missing' };
  return theory(() => transferTimeRatio(receiver.durationS, idealTransferTimeS(receiver.bytes, idealRateBps)));
}

/** A formula's value; where it does not hold for its numbers, they are zero. */
function theory(formula: () => number): Value {
  try {
    return known(formula(), 'denominator-zero');
  } catch (error) {
    if (error instanceof TheoryError) return { reason: 'denominator-zero' };
    throw error;
  }
}

function share(socket: SocketSummary | undefined, limitedMs: number | undefined): Value {
  if (!socket) return { reason: 'not-measured-here' };
  const value = ratio(limitedMs, socket.busyMs, 'counter-not-available');
  return 'value' in value ? { value: Math.min(1, value.value) } : value;
}

/**
 * RFC 6349 section 4.2, transmitted bytes including retransmitted ones. Exactly, where the kernel counts both in bytes;
 * else retransmitted segments times MSS, which `isEfficiencyEstimated` tells.
 */
function efficiencyOf(result: ThroughputResult): Value {
  const socket = result.sockets.sender;
  const { bytesSent, bytesRetransmitted } = socket ?? {};
  if (bytesSent && bytesRetransmitted !== undefined) return theory(() => tcpEfficiency(bytesSent, bytesRetransmitted));
  const sent = result.totals.sender?.bytes;
  const segments = result.retransmits;
  const mss = socket?.mssBytes ?? result.mssBytes;
  if (sent === undefined || segments === undefined || (segments > 0 && mss === undefined))
    return { reason: 'counter-not-available' };
  // iperf3 counts what it handed to the kernel, each byte once; the line carried the repeated segments as well.
  const again = segments * (mss ?? 0);
  return theory(() => tcpEfficiency(sent + again, again));
}

export const isEfficiencyEstimated = ({ sockets: { sender } }: ThroughputResult): boolean =>
  !sender?.bytesSent || sender.bytesRetransmitted === undefined;

const greatest = (values: readonly (number | undefined)[]): number | undefined =>
  values.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined);
