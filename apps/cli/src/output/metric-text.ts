import { formatBytes, formatCount, formatMs, formatRate, formatRatio, formatShare } from '@plumbline/analysis';
import type { Metric, NullReason } from '@plumbline/model';

/** A metric as the model or as the API has it. */
export type ShownMetric = Omit<Metric, 'labels'> & {
  readonly labels?: Readonly<Record<string, string | undefined>> | undefined;
};

/** Why a number is missing, for people. docs/errors.md has more of each. */
export const NULL_REASON_TEXT: Readonly<Record<NullReason, string>> = {
  'attempt-failed': 'the attempt failed',
  'no-reply': 'nothing was answered',
  'too-few-samples': 'too few samples',
  'not-measured-here': 'not measured in this test',
  'counter-not-available': 'this host does not count it',
  'baseline-missing': 'there is no baseline to divide by',
  'denominator-zero': 'it would be a division by zero',
  'not-requested': 'the test did not ask for it',
  'receiver-totals-missing': "the receiver's totals are missing",
  'contract-missing': 'the path has no contract for it',
  'tool-cannot-say': 'the tool cannot say',
  'not-offered': 'the handshake came without it',
  'no-earlier-one': 'there is no earlier one to compare with',
};

/** The value with its unit, or `unknown: why`. Ratios named `ratio-*` read as factors, the others as per cent. */
export function metricText(metric: ShownMetric): string {
  if (metric.value === null)
    return `unknown: ${metric.reason === undefined ? 'no reason was given' : NULL_REASON_TEXT[metric.reason]}`;
  return valueText(metric, metric.value);
}

/** `lowest to highest (count)`, or nothing where one value stands alone. */
export function spreadText(metric: ShownMetric): string {
  const { spread } = metric;
  if (spread === undefined || spread.count < 2) return '';
  return `${valueText(metric, spread.min)} to ${valueText(metric, spread.max)} (${spread.count})`;
}

export const metricLabels = (metric: ShownMetric): string =>
  Object.entries(metric.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');

function valueText({ name, unit }: Pick<ShownMetric, 'name' | 'unit'>, value: number): string {
  switch (unit) {
    case 'bit/s':
      return formatRate(value);
    case 'ms':
      return formatMs(value);
    case 's':
      return formatMs(value * 1000);
    case 'B':
      return formatBytes(value);
    case 'ratio':
      return name.startsWith('ratio-') || name === 'transfer-time-ratio' ? formatRatio(value) : formatShare(value);
    case '1/s':
      return `${Number(value.toPrecision(3))} /s`;
    case '1/min':
      return `${Number(value.toPrecision(3))} /min`;
    case 'count':
      return formatCount(value);
    case 'segments':
    case 'packets':
      return `${formatCount(value)} ${unit}`;
  }
}
