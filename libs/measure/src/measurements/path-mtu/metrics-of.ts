import { type Ending, type Metric, metricOr, missing, type NullReason } from '@plumbline/model';
import { pathMtuMetrics } from './metrics.js';
import type { PathMtuResult } from './result.js';

/** The metrics of an attempt; of a failed one all are null. No echo at all is an answer: nobody knows the MTU then. */
export function pathMtuMetricsOf(result: PathMtuResult | undefined, ending: Ending): Metric[] {
  const holds = result !== undefined && (ending.outcome === 'completed' || ending.outcome === 'partial');
  if (!holds) return pathMtuMetrics.map(({ name, unit }) => missing(name, unit, 'attempt-failed'));
  const unknown: NullReason = 'no-reply';
  const answered = result.mtuBytes !== undefined;
  return [
    metricOr('path-mtu', 'B', result.mtuBytes, unknown),
    metricOr('path-mtu.refused', 'B', result.refusedBytes, answered ? 'not-measured-here' : unknown),
    metricOr('black-hole', 'count', answered ? Number(result.verdict === 'black-hole') : undefined, unknown),
  ];
}
