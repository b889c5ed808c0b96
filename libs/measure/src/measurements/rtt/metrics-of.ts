import { type Ending, type Metric, metric, missing, type NullReason, type Unit } from '@plumbline/model';
import { rttMetrics } from './metrics.js';
import type { RttResult } from './result.js';
import { mean, meanAbsoluteIpdv, percentile } from './statistics.js';

type Name = (typeof rttMetrics)[number]['name'];
type Value = number | NullReason;

/** The metrics of an attempt; of a failed one all are null. No reply at all is an answer: loss 1, and no RTT. */
export function rttMetricsOf(result: RttResult | undefined, ending: Ending): Metric[] {
  const holds = ending.outcome === 'completed' || ending.outcome === 'partial';
  const values = holds && result && result.sent > 0 ? valuesOf(result) : undefined;
  return rttMetrics.map(({ name, unit }) => asMetric(name, unit, values?.[name] ?? 'attempt-failed'));
}

const asMetric = (name: string, unit: Unit, value: Value): Metric =>
  typeof value === 'number' ? metric(name, unit, value) : missing(name, unit, value);

function valuesOf(result: RttResult): Record<Name, Value> {
  const loss = (result.sent - result.received) / result.sent;
  const replies = result.rttsMs.filter((rtt) => rtt !== null);
  const none: NullReason = result.received === 0 ? 'no-reply' : 'tool-cannot-say';
  if (replies.length === 0 || result.untimed > 0)
    return {
      'rtt.min': none,
      'rtt.mean': none,
      'rtt.p50': none,
      'rtt.p95': none,
      'rtt.max': none,
      loss,
      jitter: none,
    };
  return {
    'rtt.min': replies.reduce((a, b) => Math.min(a, b)),
    'rtt.mean': mean(replies) ?? none,
    'rtt.p50': percentile(result.rttsMs, 50) ?? 'no-reply',
    'rtt.p95': percentile(result.rttsMs, 95) ?? 'no-reply',
    'rtt.max': replies.reduce((a, b) => Math.max(a, b)),
    loss,
    jitter: meanAbsoluteIpdv(result.rttsMs) ?? 'too-few-samples',
  };
}
