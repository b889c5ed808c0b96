import { type Ending, type Metric, metric, missing, type NullReason } from '@plumbline/model';
import { histogramPercentileMs } from './histogram.js';
import { transactionMetrics } from './metrics.js';
import type { TransactionSeries, TransactionsResult } from './result.js';

type Value = number | NullReason;

/** The metrics of an attempt; of one that neither completed nor was cut short all are null. */
export function transactionMetricsOf(result: TransactionsResult | undefined, ending: Ending): Metric[] {
  const holds = result !== undefined && (ending.outcome === 'completed' || ending.outcome === 'partial');
  const values = holds ? metricValues(result) : undefined;
  return transactionMetrics.map(({ name, unit }) => {
    const value = values ? (values.get(name) ?? 'not-measured-here') : 'attempt-failed';
    return typeof value === 'number' ? metric(name, unit, value) : missing(name, unit, value);
  });
}

function metricValues(result: TransactionsResult): Map<string, Value> {
  const { series, idle, load, underLoad } = result;
  const baseline = baselineMs(result);
  return new Map<string, Value>([
    ['transactions-per-second', ratio(series.count, series.durationS)],
    ['latency.min', series.minMs],
    ['latency.mean', series.meanMs],
    ['latency.p50', percentile(series, 50)],
    ['latency.p95', percentile(series, 95)],
    ['latency.p99', percentile(series, 99)],
    ['latency.max', series.maxMs],
    [
      'ratio-to-rtt',
      typeof baseline === 'number' && !isBaselineTooHigh(result) ? ratio(series.meanMs, baseline) : 'baseline-missing',
    ],
    ['rtt.baseline', baseline],
    ['latency.idle', underLoad ? (idle?.meanMs ?? 'baseline-missing') : 'not-requested'],
    ['ratio-to-idle', underLoad ? (idle ? ratio(series.meanMs, idle.meanMs) : 'baseline-missing') : 'not-requested'],
    ['responsiveness', underLoad ? ratio(60_000, series.meanMs) : 'not-requested'],
    ['load.throughput', underLoad ? (load?.rateBps ?? 'not-measured-here') : 'not-requested'],
  ]);
}

/** No transaction is faster than a round trip: a baseline above the fastest one waited for something (a cold path's ARP). */
export const isBaselineTooHigh = ({ baseline, series }: TransactionsResult): boolean =>
  series.minMs < 0.98 * (baseline?.minMs ?? 0);

const ratio = (numerator: number, denominator: number): Value =>
  denominator > 0 ? numerator / denominator : 'denominator-zero';

/** Never outside what was measured: the edge of a bin may lie beyond the largest value in it. */
function percentile({ histogram, minMs, maxMs }: TransactionSeries, percent: number): Value {
  const edge = histogram && histogramPercentileMs(histogram, percent);
  return edge === undefined ? 'tool-cannot-say' : Math.min(Math.max(edge, minMs), maxMs);
}

function baselineMs({ baseline }: TransactionsResult): Value {
  if (!baseline) return 'baseline-missing';
  return baseline.minMs ?? (baseline.received === 0 ? 'no-reply' : 'baseline-missing');
}
