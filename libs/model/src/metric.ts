import { z } from 'zod';

/** Units of PRODUCT.md. Ratios are 0 to 1 (0.05, not 5); `bit/s` is bits. */
export const Unit = z.enum(['bit/s', 'ms', 'B', 'segments', 'packets', '1/s', '1/min', 'ratio', 's', 'count']);
export type Unit = z.output<typeof Unit>;

/** Why a metric has no value. A closed list; docs/errors.md explains each. */
export const NullReason = z.enum([
  'attempt-failed',
  'no-reply',
  'too-few-samples',
  'not-measured-here',
  'counter-not-available',
  'baseline-missing',
  'denominator-zero',
  'not-requested',
  'receiver-totals-missing',
  'contract-missing',
  'tool-cannot-say',
  'not-offered',
  'no-earlier-one',
]);
export type NullReason = z.output<typeof NullReason>;

export const LabelKey = z.enum([
  'algorithm',
  'streams',
  'windowBytes',
  'offeredBps',
  'direction',
  'hop',
  'stream',
  'repeat',
]);
export type LabelKey = z.output<typeof LabelKey>;
export type Labels = Partial<Record<LabelKey, string>>;

/** How far the repeats of a step lie apart; only on a step's metric, never on an attempt's. */
export const Spread = z.object({ min: z.number(), max: z.number(), count: z.int().positive() }).meta({ id: 'Spread' });
export type Spread = z.output<typeof Spread>;

/** One number, or its absence. `reason` says why the value is null, and only then. */
export const Metric = z
  .object({
    name: z.string(),
    value: z.number().nullable(),
    unit: Unit,
    labels: z.partialRecord(LabelKey, z.string()).optional(),
    reason: NullReason.optional(),
    spread: Spread.optional(),
  })
  .meta({ id: 'Metric' });
export type Metric = z.output<typeof Metric>;

/** A metric with a value, or null with a reason when the number is not finite: no NaN and no Infinity leaves a parser. */
export function metric(name: string, unit: Unit, value: number, labels?: Labels): Metric {
  if (!Number.isFinite(value)) return missing(name, unit, 'denominator-zero', labels);
  return labels ? { name, value, unit, labels } : { name, value, unit };
}

/** A metric whose value is not known, and why. */
export function missing(name: string, unit: Unit, reason: NullReason, labels?: Labels): Metric {
  return labels ? { name, value: null, unit, labels, reason } : { name, value: null, unit, reason };
}

/** The value if there is one, else null with the reason: for parsers, where undefined means "the tool did not say". */
export function metricOr(
  name: string,
  unit: Unit,
  value: number | undefined,
  reason: NullReason,
  labels?: Labels,
): Metric {
  return value === undefined ? missing(name, unit, reason, labels) : metric(name, unit, value, labels);
}
