import type { MetricFact } from '@plumbline/measure';
import { type Labels, type Metric, missing, type NullReason } from '@plumbline/model';
import type { AttemptResult } from './kind.js';

/** Metrics with the labels of their cell, as an attempt shows them. What a metric already says of itself stays. */
export const labelled = (metrics: readonly Metric[], cell: Labels): Metric[] =>
  metrics.map((metric) => {
    const labels = { ...cell, ...metric.labels };
    return Object.keys(labels).length > 0 ? { ...metric, labels } : metric;
  });

/** The middle value; of an even number the mean of the two in the middle. @throws {RangeError} of none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[half - (sorted.length % 2 === 0 ? 1 : 0)], sorted[half]];
  if (low === undefined || high === undefined) throw new RangeError('the median of no values');
  // Not (low + high) / 2: the sum of the largest numbers overflows.
  return low === high ? low : low / 2 + high / 2;
}

/**
 * The step's metrics: per cell the median over its repeats, with spread. Only completed attempts are samples: what a
 * partial one measured is in its own record. A cell without a value keeps the first reason that there is.
 */
export function summarise(facts: readonly MetricFact[], results: readonly AttemptResult[]): Metric[] {
  const cells = new Map<string, AttemptResult[]>();
  for (const result of results) {
    const key = labelsKey(result.plan.cell);
    cells.set(key, [...(cells.get(key) ?? []), result]);
  }
  return [...cells.values()].flatMap((cell) => summariseCell(facts, cell));
}

function summariseCell(facts: readonly MetricFact[], results: readonly AttemptResult[]): Metric[] {
  const completed = results.filter((result) => result.ending.outcome === 'completed');
  const labels = results[0]?.plan.cell ?? {};
  const seen = groupBy(completed.flatMap((result) => labelled(result.metrics, result.plan.cell)));
  const named = new Set([...seen.values()].map((same) => same[0]?.name));
  const absent = facts
    .filter((fact) => !named.has(fact.name))
    .map((fact) => missing(fact.name, fact.unit, reasonOf(fact.name, results), hasLabels(labels) ? labels : undefined));
  return [...[...seen.values()].map(summariseMetric), ...absent];
}

function summariseMetric(same: readonly Metric[]): Metric {
  const { name, unit, labels } = same[0]!;
  const values = same.flatMap((metric) => (metric.value === null ? [] : [metric.value]));
  if (values.length === 0) return missing(name, unit, same[0]?.reason ?? 'not-measured-here', labels);
  const spread = { min: Math.min(...values), max: Math.max(...values), count: values.length };
  return { name, value: median(values), unit, ...(labels ? { labels } : {}), spread };
}

/** Why no completed attempt has it: the attempts' own word, else that they failed. */
const reasonOf = (name: string, results: readonly AttemptResult[]): NullReason =>
  results.flatMap((r) => r.metrics).find((m) => m.name === name && m.value === null)?.reason ?? 'attempt-failed';

function groupBy(metrics: readonly Metric[]): Map<string, Metric[]> {
  const groups = new Map<string, Metric[]>();
  for (const metric of metrics) {
    const key = `${metric.name} ${labelsKey(metric.labels ?? {})}`;
    groups.set(key, [...(groups.get(key) ?? []), metric]);
  }
  return groups;
}

const hasLabels = (labels: Labels): boolean => Object.keys(labels).length > 0;

/** The same text for the same labels, whatever their order. */
export const labelsKey = (labels: Labels): string =>
  Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
