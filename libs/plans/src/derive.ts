import type { MetricFact } from '@plumbline/measure';
import { type Labels, type Metric, metric, missing, type NullReason } from '@plumbline/model';
import type { AttemptResult } from './kind.js';
import { labelsKey, median } from './summarise.js';

/** Results in groups of the same cell, in the order in which the cells came. */
export function byCell(results: readonly AttemptResult[]): readonly (readonly AttemptResult[])[] {
  const cells = new Map<string, AttemptResult[]>();
  for (const result of results) {
    const key = labelsKey(result.plan.cell);
    cells.set(key, [...(cells.get(key) ?? []), result]);
  }
  return [...cells.values()];
}

/**
 * Results of which metrics are of both directions at once, as two results each, with the direction in their cell; others stay
 * as they are.
 */
export const byDirection = (results: readonly AttemptResult[]): readonly AttemptResult[] =>
  results.flatMap((result) => {
    const { cell } = result.plan;
    const directions = new Set(result.metrics.flatMap(({ labels }) => labels?.direction ?? []));
    if (cell.direction !== undefined || directions.size === 0) return [result];
    return [...directions].map((direction) => ({
      ...result,
      plan: { ...result.plan, cell: { ...cell, direction } },
      metrics: result.metrics.filter(({ labels }) => labels?.direction === direction),
    }));
  });

/** An attempt's own value of a metric that carries no labels beside the cell's; or why there is none. */
export function ownValue(result: AttemptResult, name: string): number | NullReason {
  if (result.ending.outcome !== 'completed') return 'attempt-failed';
  const { cell } = result.plan;
  const found = result.metrics.find((m) => m.name === name && labelsKey({ ...cell, ...m.labels }) === labelsKey(cell));
  return found?.value ?? found?.reason ?? 'not-measured-here';
}

/** A step's metric from one value of each repeat: the median with its spread, or the first reason why there is none. */
export function stepMetric(
  { name, unit }: Pick<MetricFact, 'name' | 'unit'>,
  values: readonly (number | NullReason)[],
  labels: Labels,
): Metric {
  const known = values.filter((value) => typeof value === 'number').filter(Number.isFinite);
  const carried = Object.keys(labels).length > 0 ? labels : undefined;
  if (known.length === 0) {
    const reason = values.find((value) => typeof value !== 'number') ?? 'attempt-failed';
    return missing(name, unit, reason, carried);
  }
  const spread = { min: Math.min(...known), max: Math.max(...known), count: known.length };
  return { ...metric(name, unit, median(known), carried), spread };
}
