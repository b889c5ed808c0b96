import type { Labels, Metric } from '@plumbline/model';
import type { AttemptResult } from './kind.js';
import { kindOf, type Test } from './kinds/list.js';

/** Metrics of each repeat of a step by itself, as its kind works them out: also those that no single attempt has. */
export type RepeatMetrics = readonly {
  readonly results: readonly AttemptResult[];
  readonly metrics: readonly Metric[];
}[];

/** Works them out when they are first asked for: a climb of many loads is summed up once a repeat, whatever asks. */
export function repeatsOf(): (step: {
  readonly test: Test;
  readonly results: readonly AttemptResult[];
}) => RepeatMetrics {
  const known = new Map<readonly AttemptResult[], RepeatMetrics>();
  return ({ test, results }) => {
    const found = known.get(results);
    if (found) return found;
    const kind = kindOf(test.kind);
    const repeats = [...new Set(results.map(({ plan }) => plan.repeat))].map((repeat) => {
      const own = results.filter(({ plan }) => plan.repeat === repeat);
      return { results: own, metrics: kind?.summarise(test, own) ?? [] };
    });
    known.set(results, repeats);
    return repeats;
  };
}

/**
 * The value of a step's metric in each repeat that measured it, null where that gave none. A load that only one climb offered
 * is no part of the others.
 */
export function valuesByRepeat(repeats: RepeatMetrics, metric: Pick<Metric, 'name' | 'labels'>): (number | null)[] {
  return repeats.flatMap(({ results, metrics }) => {
    const found = metrics.find((m) => m.name === metric.name && same(m.labels ?? {}, metric.labels ?? {}));
    if (found) return [found.value];
    return results.some(({ plan }) => within(plan.cell, metric.labels ?? {})) ? [null] : [];
  });
}

const within = (labels: Labels, all: Labels): boolean =>
  Object.entries(labels).every(([key, value]) => Object.entries(all).some(([k, v]) => k === key && v === value));
const same = (a: Labels, b: Labels): boolean => within(a, b) && within(b, a);
