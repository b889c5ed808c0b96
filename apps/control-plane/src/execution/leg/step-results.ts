import { Injectable } from '@nestjs/common';
import { type Ending, LabelKey, type Metric, NullReason, Unit } from '@plumbline/model';
import type { AttemptPlan, AttemptResult } from '@plumbline/plans';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';

/** An attempt that ended, as its kind planned it. */
export interface Final {
  readonly plan: AttemptPlan;
  readonly last: { readonly id: string; readonly ending: Ending };
}

/** What attempts and steps gave, read back from Postgres: what a kind plans from is the same before and after a restart. */
@Injectable()
export class StepResults {
  constructor(private readonly database: PostgresDatabase) {}

  async of(finals: readonly Final[]): Promise<AttemptResult[]> {
    const metrics = new Map<string, Metric[]>();
    for (const { last } of finals) metrics.set(last.id, []);
    for (const row of await this.rows({ attemptId: { in: [...metrics.keys()] } }))
      metrics.get(row.attemptId ?? '')?.push(row.metric);
    return finals.map(({ plan, last }) => ({ plan, ending: last.ending, metrics: metrics.get(last.id) ?? [] }));
  }

  async ofStep(stepId: string): Promise<Metric[]> {
    return (await this.rows({ stepId, attemptId: null })).map((row) => row.metric);
  }

  private async rows(where: { stepId: string; attemptId: null } | { attemptId: { in: string[] } }) {
    const rows = await this.database.retrying('read metrics', (client) =>
      client.metric.findMany({ where, orderBy: [{ attemptId: 'asc' }, { seq: 'asc' }] }),
    );
    return rows.map((row) => ({ attemptId: row.attemptId, metric: StoredMetric.parse(row) }));
  }
}

const absent = <T extends z.ZodType>(schema: T) => schema.nullable().transform((value) => value ?? undefined);
const StoredMetric = z
  .object({
    name: z.string(),
    value: z.number().nullable(),
    unit: Unit,
    labels: absent(z.partialRecord(LabelKey, z.string())),
    reason: absent(NullReason),
    spread: absent(z.object({ min: z.number(), max: z.number(), count: z.int() })),
  })
  .transform(
    (row): Metric => ({
      name: row.name,
      value: row.value,
      unit: row.unit,
      ...(row.labels ? { labels: row.labels } : {}),
      ...(row.reason ? { reason: row.reason } : {}),
      ...(row.spread ? { spread: row.spread } : {}),
    }),
  );
