import { type Ending, type Metric, metric, missing, type NullReason } from '@plumbline/model';
import { reachabilityMetrics } from './metrics.js';
import type { ReachabilityResult } from './result.js';

type Name = (typeof reachabilityMetrics)[number]['name'];
type Value = number | NullReason;

/** The metrics of an attempt; of a failed one all are null. Silence is an answer: filtered 1, and no round trip. */
export function reachabilityMetricsOf(result: ReachabilityResult | undefined, ending: Ending): Metric[] {
  const holds = ending.outcome === 'completed' || ending.outcome === 'partial';
  const values = holds && result && result.sent > 0 ? metricValues(result) : undefined;
  return reachabilityMetrics.map(({ name, unit }) => {
    const value = values?.[name] ?? 'attempt-failed';
    return typeof value === 'number' ? metric(name, unit, value) : missing(name, unit, value);
  });
}

function metricValues({ sent, open, closed, rejected, rttsMs }: ReachabilityResult): Record<Name, Value> {
  const filtered = sent - open - closed - rejected;
  const none = rttsMs.length === 0;
  return {
    'port.open': open / sent,
    'port.closed': closed / sent,
    'port.filtered': filtered / sent,
    'port.rejected': rejected / sent,
    'rtt.min': none ? 'no-reply' : rttsMs.reduce((a, b) => Math.min(a, b)),
    'rtt.mean': none ? 'no-reply' : rttsMs.reduce((sum, rtt) => sum + rtt, 0) / rttsMs.length,
  };
}
