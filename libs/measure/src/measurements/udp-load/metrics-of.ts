import { type Ending, type Metric, metric, missing, type NullReason } from '@plumbline/model';
import { lossOf } from './loss.js';
import { udpLoadMetrics } from './metrics.js';
import type { UdpLoadInterval, UdpLoadResult } from './result.js';

type Name = (typeof udpLoadMetrics)[number]['name'];
type Value = number | NullReason;

/** The metrics of an attempt; of one that neither completed nor was cut short all are null. */
export function udpLoadMetricsOf(result: UdpLoadResult | undefined, ending: Ending): Metric[] {
  const holds = result !== undefined && (ending.outcome === 'completed' || ending.outcome === 'partial');
  const values = holds ? metricValues(result) : undefined;
  return udpLoadMetrics.map(({ name, unit }) => {
    const value = values?.[name] ?? 'attempt-failed';
    return typeof value === 'number' ? metric(name, unit, value) : missing(name, unit, value);
  });
}

function metricValues(result: UdpLoadResult): Record<Name, Value> {
  const { sent, received } = result;
  const loss = lossOf(result);
  return {
    offered: sent ? rateOf(sent) : 'not-measured-here',
    delivered: received ? rateOf(received) : 'receiver-totals-missing',
    'delivered.steady': steadyRateBps(result.intervals) ?? 'not-measured-here',
    loss: loss?.ratio ?? (received ? 'tool-cannot-say' : 'receiver-totals-missing'),
    jitter: jitterOf(result),
    reordered: result.reordered ?? 'not-measured-here',
  };
}

const rateOf = ({ bytes, durationS }: { bytes: number; durationS: number }): Value =>
  durationS > 0 ? (bytes * 8) / durationS : 'denominator-zero';

/** One datagram has no jitter: the tool's zero then means nothing. */
function jitterOf({ received, payloadBytes }: UdpLoadResult): Value {
  if (!received) return 'receiver-totals-missing';
  if (received.bytes < 2 * payloadBytes) return 'too-few-samples';
  return received.jitterMs ?? 'not-measured-here';
}

/** Median of the whole intervals after the first; undefined without any. */
export function steadyRateBps(intervals: readonly UdpLoadInterval[]): number | undefined {
  const whole = intervals.slice(1).filter(({ durationS }) => durationS >= 0.9 && durationS <= 1.5);
  const rates = whole.map(({ rateBps }) => rateBps).sort((a, b) => a - b);
  const half = Math.floor(rates.length / 2);
  const [low, high] = [rates[half - (rates.length % 2 === 0 ? 1 : 0)], rates[half]];
  return low === undefined || high === undefined ? undefined : low + (high - low) / 2;
}
