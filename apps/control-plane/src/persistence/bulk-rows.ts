import { type Metric, missing, type SocketSample } from '@plumbline/model';
import type { Transaction } from './seams.js';
import { storableJsonText } from './storable-json.js';

/** The metric as the table's checks demand it: a finite value and no reason, or null and a reason. */
export function soundMetric(metric: Metric): Metric {
  const { reason, ...rest } = metric;
  if (metric.value === null) return { ...rest, value: null, reason: reason ?? 'tool-cannot-say' };
  if (!Number.isFinite(metric.value)) return missing(metric.name, metric.unit, 'denominator-zero', metric.labels);
  return rest;
}

/** Inserts the metrics of a step (attemptId null) or of an attempt in one statement, in their order. */
export async function insertMetrics(
  client: Transaction,
  owner: { stepId: string; attemptId: string | null },
  metrics: readonly Metric[],
): Promise<void> {
  if (metrics.length === 0) return;
  const sound = metrics.map(soundMetric);
  const json = (value: unknown) => (value === undefined ? null : storableJsonText(value));
  await client.$executeRaw`
    INSERT INTO metric (step_id, attempt_id, seq, name, value, unit, labels, reason, spread)
    SELECT ${owner.stepId}::uuid, ${owner.attemptId}::uuid, new.ord, new.name, new.value, new.unit,
      new.labels::jsonb, new.reason, new.spread::jsonb
    FROM unnest(
      ${sound.map((m) => m.name)}::text[], ${sound.map((m) => m.value)}::float8[], ${sound.map((m) => m.unit)}::text[],
      ${sound.map((m) => json(m.labels))}::text[], ${sound.map((m) => m.reason ?? null)}::text[],
      ${sound.map((m) => json(m.spread))}::text[]
    ) WITH ORDINALITY AS new (name, value, unit, labels, reason, spread, ord)`;
}

/** Inserts socket samples in one statement (some 80,000 rows a second; row by row it is 4,000). */
export async function insertSamples(
  client: Transaction,
  attemptId: string,
  samples: readonly SocketSample[],
): Promise<void> {
  if (samples.length === 0) return;
  await client.$executeRaw`
    INSERT INTO sample (attempt_id, "end", elapsed_ms, document)
    SELECT ${attemptId}::uuid, new."end"::"End", new.elapsed_ms, new.document::jsonb
    FROM unnest(
      ${samples.map((s) => s.end)}::text[], ${samples.map((s) => Math.round(s.elapsedMs))}::int[],
      ${samples.map((s) => storableJsonText(s))}::text[]
    ) AS new ("end", elapsed_ms, document)`;
}
