import {
  type Ending,
  type HopChange,
  type Metric,
  metric,
  missing,
  type NullReason,
  type RouteChanges,
} from '@plumbline/model';
import type { Earlier, Reading, SinceLast } from '../../ability.js';
import { compareWays } from './changes.js';
import { lengthOf } from './merged-way.js';
import { changeMetrics } from './metrics.js';
import { TraceResult } from './result.js';
import type { TraceSpec } from './spec.js';

const [CHANGED, BEFORE] = changeMetrics;

/** A trace beside the last one. How often hops were asked and how far does not matter; what was sent does. */
export const traceSinceLast: SinceLast<TraceSpec> = {
  sameIn: ({ method, flows, port }) => ({ method, flows, ...(method === 'tcp-syn' ? { port } : {}) }),
  compare: (reading, earlier) => {
    const now = TraceResult.safeParse(reading.result).data;
    if (!now || !holds(reading.ending))
      return { ...reading, metrics: [...reading.metrics, ...unknown('attempt-failed')] };
    const then = earlier && TraceResult.safeParse(earlier.result).data;
    return earlier && then ? besides(reading, now, earlier, then) : alone(reading, now);
  },
};

const holds = ({ outcome }: Ending): boolean => outcome === 'completed' || outcome === 'partial';

const unknown = (reason: NullReason): Metric[] => changeMetrics.map(({ name, unit }) => missing(name, unit, reason));

function alone(reading: Reading, now: TraceResult): Reading {
  const changes: RouteChanges = { since: null, hops: [], length: { before: null, after: lengthOf(now) ?? null } };
  return {
    ...reading,
    metrics: [...reading.metrics, ...unknown('no-earlier-one')],
    result: { ...now, changes },
    notes: [...reading.notes, 'there is no earlier trace of this path with these parameters to compare with'],
  };
}

function besides(reading: Reading, now: TraceResult, earlier: Earlier, then: TraceResult): Reading {
  const { hops, compared } = compareWays(then, now);
  const [before, after] = [lengthOf(then), lengthOf(now)];
  const { run, attempt, endedAt } = earlier;
  const changes: RouteChanges = {
    since: { run, attempt, endedAt },
    hops: [...hops],
    length: { before: before ?? null, after: after ?? null },
  };
  const changed =
    compared + hops.length > 0
      ? metric(CHANGED.name, CHANGED.unit, hops.length)
      : missing(CHANGED.name, CHANGED.unit, 'no-reply');
  const length =
    before === undefined ? missing(BEFORE.name, BEFORE.unit, 'no-reply') : metric(BEFORE.name, BEFORE.unit, before);
  return {
    ...reading,
    metrics: [...reading.metrics, changed, length],
    result: { ...now, changes },
    notes: [...reading.notes, changesText(changes, compared, endedAt)],
  };
}

/** Since when, then each change; or that there is none. */
function changesText({ hops, length: { before, after } }: RouteChanges, compared: number, endedAt: string): string {
  const words = [
    ...hops.map(hopText),
    ...(before !== null && after !== null && before !== after ? [`${after} hops to the far end, then ${before}`] : []),
    ...(before !== null && after === null ? ['the far end answered then and does not now'] : []),
    ...(before === null && after !== null ? ['the far end answers now and did not then'] : []),
  ];
  if (words.length > 0) return `since the trace of ${endedAt}: ${words.join('; ')}`;
  return compared > 0
    ? `the same way as in the trace of ${endedAt}`
    : `nothing to compare with the trace of ${endedAt}`;
}

function hopText({ what, hop, before, after }: HopChange): string {
  if (what === 'appeared') return `hop ${hop} ${after.join(' or ')} is new`;
  if (what === 'vanished') return `${before.join(' or ')}, then hop ${hop}, is gone`;
  return `hop ${hop} is ${after.join(' or ')} and was ${before.join(' or ')}`;
}
