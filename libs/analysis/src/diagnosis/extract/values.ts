import type { Labels, Metric } from '@plumbline/model';
import type { AttemptEvidence } from '../evidence.js';

/** The value of a metric that tells of the attempt as a whole, or of one of its directions; not of a single stream. */
export function metricValueOf(metrics: readonly Metric[], name: string, direction?: string): number | undefined {
  const own = metrics.filter((metric) => metric.name === name && metric.labels?.stream === undefined);
  const labelled = own.find((metric) => direction !== undefined && metric.labels?.direction === direction);
  const found = labelled ?? own.find((metric) => direction === undefined || metric.labels?.direction === undefined);
  return finite(found?.value);
}

/** Each stream's own value, in the order of the streams. */
export const streamValuesOf = (metrics: readonly Metric[], name: string, direction?: string): number[] =>
  metrics.flatMap((metric) =>
    metric.name === name &&
    metric.labels?.stream !== undefined &&
    (direction === undefined || metric.labels.direction === undefined || metric.labels.direction === direction)
      ? (finite(metric.value) ?? [])
      : [],
  );

const finite = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** Attempts that are repeats of each other: the same test of the same cell. */
export const cellKey = ({ measurement, cell }: AttemptEvidence): string =>
  JSON.stringify([measurement, Object.entries(withoutRepeat(cell)).sort(([a], [b]) => (a < b ? -1 : 1))]);

export function withoutRepeat(cell: Labels): Labels {
  const { repeat, ...rest } = cell;
  return rest;
}

/** Lists of what belongs together, in the order in which each first came. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
}

/**
 * The one that stands for its repeats: that of median value (the lower of the two middle ones), else the first. A mean would
 * mix windows and losses of several tests into numbers that no flow ever had.
 */
export function representativeOf<T>(items: readonly T[], value: (item: T) => number | undefined): T | undefined {
  const having = items
    .flatMap((item) => {
      const v = value(item);
      return v === undefined ? [] : [{ item, v }];
    })
    .sort((a, b) => a.v - b.v);
  return having[Math.floor((having.length - 1) / 2)]?.item ?? items[0];
}
