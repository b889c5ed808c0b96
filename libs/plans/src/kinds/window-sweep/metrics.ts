import { throughput, windowCeiling } from '@plumbline/measure';
import { type Metric, type NullReason } from '@plumbline/model';
import { byCell, byDirection, ownValue, stepMetric } from '../../derive.js';
import type { AttemptResult } from '../../kind.js';
import { summarise } from '../../summarise.js';

/** The step's metrics: per window the medians, and beside each throughput what window / RTT allows. */
export function windowSweepMetrics(attempts: readonly AttemptResult[]): Metric[] {
  const results = byDirection(attempts);
  const ceilings = byCell(results).map((cell) =>
    stepMetric(
      windowCeiling,
      cell.map((result) => ceilingBps(ownValue(result, 'window.max'), ownValue(result, 'rtt.mean'))),
      cell[0]?.plan.cell ?? {},
    ),
  );
  return [...summarise(throughput.metrics, results), ...ceilings];
}

function ceilingBps(windowBytes: number | NullReason, rttMs: number | NullReason): number | NullReason {
  if (typeof windowBytes !== 'number') return windowBytes;
  if (typeof rttMs !== 'number') return rttMs;
  return rttMs === 0 ? 'denominator-zero' : (windowBytes * 8 * 1000) / rttMs;
}
