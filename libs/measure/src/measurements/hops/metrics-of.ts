import { type Ending, type Labels, type Metric, metric, missing, type NullReason } from '@plumbline/model';
import { hopsMetrics, POOR_R2 } from './metrics.js';
import type { HopsResult, LinkFit } from './result.js';

type Value = number | NullReason;
const UNITS = new Map(hopsMetrics.map(({ name, unit }) => [name, unit] as const));

/** The metrics of an attempt: of a failed one those of the whole way, null. */
export function hopsMetricsOf(result: HopsResult | undefined, ending: Ending): Metric[] {
  const holds = result !== undefined && (ending.outcome === 'completed' || ending.outcome === 'partial');
  if (!holds) return ['hops', 'path.rate'].map((name) => asMetric(name, 'attempt-failed'));
  return [
    asMetric('hops', result.reached ? (result.links.at(-1)?.hop ?? 'no-reply') : 'no-reply'),
    asMetric('path.rate', result.pathRateBps ?? 'tool-cannot-say'),
    ...result.links.flatMap(linkMetrics),
  ];
}

function asMetric(name: string, value: Value, labels?: Labels): Metric {
  const unit = UNITS.get(name) ?? 'count';
  return typeof value === 'number' ? metric(name, unit, value, labels) : missing(name, unit, value, labels);
}

function linkMetrics({ hop, rateBps, latencyMs, r2, sent, answered }: LinkFit): Metric[] {
  const labels = { hop: String(hop) };
  const unknown: NullReason = answered > 0 ? 'tool-cannot-say' : 'no-reply';
  return [
    asMetric('hop.rate', rateBps ?? unknown, labels),
    asMetric('hop.latency', latencyMs ?? unknown, labels),
    asMetric('hop.r2', r2 ?? unknown, labels),
    asMetric('hop.unanswered', sent > 0 ? (sent - answered) / sent : 'tool-cannot-say', labels),
  ];
}

/** What a reader of the numbers must know: which of them are guesses. */
export function hopsRemarks({ links, reached }: HopsResult): string[] {
  const poor = links.flatMap(({ hop, r2, rateBps }) =>
    r2 !== undefined && r2 < POOR_R2
      ? [
          `hop ${hop}: the fit is poor (r2 ${r2.toFixed(2)}), so its rate ${rateBps === undefined ? 'is unknown' : 'is a guess'}`,
        ]
      : [],
  );
  const shifty = links.flatMap(({ hop, hosts }) =>
    hosts.length > 1 ? [`hop ${hop}: the way changed meanwhile (${hosts.join(', ')})`] : [],
  );
  return [...poor, ...shifty, ...(reached ? [] : ['the far end was not reached'])];
}
