import { fairness, ratioToSingle, throughput } from '@plumbline/measure';
import { type Metric, type NullReason } from '@plumbline/model';
import { byCell, byDirection, ownValue, stepMetric } from '../../derive.js';
import type { AttemptResult } from '../../kind.js';
import { summarise } from '../../summarise.js';

/** The step's metrics: per number of streams the medians, and beside each sum its ratio to one stream. */
export function parallelMetrics(attempts: readonly AttemptResult[]): Metric[] {
  const results = byDirection(attempts);
  const medians = summarise([...throughput.metrics, fairness], results);
  // One stream has nobody to be fair to.
  const told = medians.filter(({ name, labels }) => name !== fairness.name || labels?.streams !== '1');
  return [...told, ...byCell(results).map((cell) => ratioOf(cell, results))];
}

/** Each repeat against the single stream of that very repeat: the two lie next to each other in time. */
function ratioOf(cell: readonly AttemptResult[], all: readonly AttemptResult[]): Metric {
  return stepMetric(
    ratioToSingle,
    cell.map((result) => ratio(ownValue(result, 'throughput'), singleOf(result, all))),
    cell[0]?.plan.cell ?? {},
  );
}

function singleOf({ plan }: AttemptResult, all: readonly AttemptResult[]): number | NullReason {
  const single = all.find(
    (other) =>
      other.plan.repeat === plan.repeat &&
      other.plan.cell.streams === '1' &&
      other.plan.cell.direction === plan.cell.direction,
  );
  const value = single ? ownValue(single, 'throughput') : 'baseline-missing';
  return typeof value === 'number' ? value : 'baseline-missing';
}

function ratio(sum: number | NullReason, single: number | NullReason): number | NullReason {
  if (typeof sum !== 'number') return sum;
  if (typeof single !== 'number') return single;
  return single === 0 ? 'denominator-zero' : sum / single;
}
