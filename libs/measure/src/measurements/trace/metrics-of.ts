import { type Ending, type Labels, type Metric, metric, missing, type NullReason } from '@plumbline/model';
import { traceMetrics } from './metrics.js';
import type { TraceFlow, TraceHop, TraceResult } from './result.js';
import { distinctWays, hopLossRatio, unansweredRatio } from './ways.js';

type Value = number | NullReason;
const UNITS = new Map(traceMetrics.map(({ name, unit }) => [name, unit] as const));
const WHOLE = ['hops', 'flows.distinct', 'loss', 'rtt.min', 'rtt.mean', 'rtt.max'];

/** The metrics of an attempt: of a failed one those of the whole way, null; how many hops there are nobody knows then. */
export function traceMetricsOf(result: TraceResult | undefined, ending: Ending): Metric[] {
  const holds = result !== undefined && (ending.outcome === 'completed' || ending.outcome === 'partial');
  if (!holds) return WHOLE.map((name) => asMetric(name, 'attempt-failed'));
  const several = result.flows.length > 1;
  const hops = result.flows.flatMap((flow) =>
    flow.hops.flatMap((hop) => hopMetrics(result, flow, hop, several ? { stream: String(flow.flow) } : {})),
  );
  return [...wholeMetrics(result), ...hops];
}

function asMetric(name: string, value: Value, labels?: Labels): Metric {
  const unit = UNITS.get(name) ?? 'count';
  return typeof value === 'number' ? metric(name, unit, value, labels) : missing(name, unit, value, labels);
}

/** Of the far end, all flows together: it is the same host for each. */
function wholeMetrics(result: TraceResult): Metric[] {
  const anyAnswer = result.flows.some(({ hops }) => hops.some(({ hosts }) => hosts.length > 0));
  const reached = result.flows.filter((flow) => flow.reached);
  const ends = reached.flatMap((flow) => flow.hops.at(-1) ?? []);
  const sent = sum(ends.map((end) => end.sent));
  const answered = sum(ends.map((end) => end.answered));
  const means = ends.flatMap(({ rttMeanMs, answered: n }) => (rttMeanMs === undefined ? [] : [{ rttMeanMs, n }]));
  const weight = sum(means.map(({ n }) => n));
  return [
    asMetric('hops', least(ends.map(({ hop }) => hop))),
    asMetric('flows.distinct', anyAnswer ? distinctWays(result).length : 'no-reply'),
    asMetric('loss', sent === 0 ? 'no-reply' : result.counted ? (sent - answered) / sent : 'tool-cannot-say'),
    asMetric('rtt.min', least(ends.flatMap(({ rttMinMs }) => rttMinMs ?? []))),
    asMetric('rtt.mean', weight > 0 ? sum(means.map(({ rttMeanMs, n }) => rttMeanMs * n)) / weight : 'no-reply'),
    asMetric('rtt.max', greatest(ends.flatMap(({ rttMaxMs }) => rttMaxMs ?? []))),
  ];
}

function hopMetrics({ counted }: TraceResult, flow: TraceFlow, hop: TraceHop, more: Labels): Metric[] {
  const labels = { hop: String(hop.hop), ...more };
  const rtt = (value: number | undefined): Value => value ?? (hop.answered > 0 ? 'tool-cannot-say' : 'no-reply');
  return [
    asMetric('hop.loss', (counted ? hopLossRatio(flow, hop.hop) : undefined) ?? 'tool-cannot-say', labels),
    asMetric('hop.unanswered', counted && hop.sent > 0 ? unansweredRatio(hop) : 'tool-cannot-say', labels),
    asMetric('hop.rtt.min', rtt(hop.rttMinMs), labels),
    asMetric('hop.rtt.mean', rtt(hop.rttMeanMs), labels),
    asMetric('hop.rtt.max', rtt(hop.rttMaxMs), labels),
  ];
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
const least = (values: readonly number[]): Value => (values.length > 0 ? Math.min(...values) : 'no-reply');
const greatest = (values: readonly number[]): Value => (values.length > 0 ? Math.max(...values) : 'no-reply');
