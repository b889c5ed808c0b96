import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Ability, PreparedAbility } from '@plumbline/measure';
import { type Ending, ended, LabelKey, type Metric, NullReason, Unit } from '@plumbline/model';
import type { AttemptPlan, AttemptResult as PlannedResult } from '@plumbline/plans';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import { AttemptRecords } from '../attempt/attempt-records.js';
import { AttemptRunner } from '../attempt/attempt-runner.js';
import type { AttemptTask } from '../attempt/attempt-task.js';
import { endsStep, retryDelayMs, stepEnding } from '../attempt/endings.js';
import { Catalogue, type EndedStep } from '../catalogue.js';
import type { ProbeTarget } from '../probes/probe-facts.js';
import { type Lease, LeaseLost } from './lease.js';
import type { AttemptDocument, LegDocument, StepDocument } from './leg-document.js';
import { recordStepEnd } from './leg-records.js';

export interface WalkedStep extends EndedStep {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  readonly unconfirmed: readonly string[];
}
/** An attempt that has ended, as its successors see it. */
interface Try {
  readonly id: string;
  readonly n: number;
  readonly ending: Ending;
}
type Place = { readonly leg: LegDocument; readonly step: StepDocument; readonly lease: Lease };

/** Walks one step: its planned attempts in order, each with its retries, from wherever Postgres says it stands. */
@Injectable()
export class StepWalker {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly events: PostgresRunEvents,
    private readonly catalogue: Catalogue,
    private readonly records: AttemptRecords,
    private readonly runner: AttemptRunner,
  ) {}

  /** @throws {LeaseLost} */
  async walk(place: Place): Promise<WalkedStep> {
    const { leg, step, lease } = place;
    const plans = this.plansOf(place);
    const finals: { plan: AttemptPlan; last: Try }[] = [];
    const unconfirmed: string[] = [];
    let nextN = Math.max(-1, ...step.attempts.map((attempt) => attempt.n)) + 1;
    // Ends: with the last plan, or at the first ending after which the others would be pointless.
    for (const [planIndex, plan] of plans.entries()) {
      const known = step.attempts.filter((attempt) => attempt.planIndex === planIndex);
      const tried = await this.attemptWithRetries(place, plan, planIndex, known, () => nextN++, unconfirmed);
      if (tried) finals.push({ plan, last: tried });
      if (!tried || endsStep(tried.ending)) break;
    }
    const results = await this.resultsOf(finals);
    const metrics = this.catalogue.kindOf(step.test.kind)?.summarise(step.test, results) ?? [];
    const endings = finals.map(({ last }) => last.ending);
    const cancelled = lease.cancelled.aborted && finals.length < plans.length;
    const ending = stepEnding(cancelled ? [...endings, ended('cancelled-by-user')] : endings);
    await lease.write('end a step', (client) => recordStepEnd(client, this.events, leg, step, ending, metrics));
    return { test: step.test, metrics, results, state: ending.state, unconfirmed };
  }

  /** What an ended step gave, for the leg's criteria. */
  async recall({ leg, step }: Pick<Place, 'leg' | 'step'>): Promise<EndedStep> {
    const plans = this.catalogue.kindOf(step.test.kind)?.attempts(step.test, leg.path.path) ?? [];
    const finals = plans.flatMap((plan, planIndex) => {
      const last = step.attempts.findLast((attempt) => attempt.planIndex === planIndex);
      return last?.ending ? [{ plan, last: { id: last.id, n: last.n, ending: last.ending } }] : [];
    });
    return {
      test: step.test,
      metrics: await this.metricsOf({ stepId: step.id }),
      results: await this.resultsOf(finals),
    };
  }

  private plansOf({ leg, step }: Place): readonly AttemptPlan[] {
    const kind = this.catalogue.kindOf(step.test.kind);
    if (!kind) throw new RangeError(`this version runs no test of kind ${step.test.kind}`);
    return kind.attempts(step.test, leg.path.path);
  }

  /** @returns the last try; undefined when the run was cancelled before the first */
  private async attemptWithRetries(
    place: Place,
    plan: AttemptPlan,
    planIndex: number,
    known: readonly AttemptDocument[],
    nextN: () => number,
    unconfirmed: string[],
  ): Promise<Try | undefined> {
    let tries = 0;
    let last: Try | undefined;
    for (const attempt of known) {
      tries += 1;
      last = await this.settle(place, plan, attempt, unconfirmed);
    }
    // Ends: after three tries, or at the first ending that is not tried again.
    for (;;) {
      const delayMs = last ? retryDelayMs(last.ending, tries, Math.random()) : 0;
      if (delayMs === undefined || place.lease.cancelled.aborted) return last;
      const signal = AbortSignal.any([place.lease.over, place.lease.cancelled]);
      if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => undefined);
      if (place.lease.over.aborted) throw new LeaseLost(place.leg.id);
      const next = await this.begin(place, plan, planIndex, nextN(), last?.n, unconfirmed);
      if (!next) return last;
      last = next;
      tries += 1;
    }
  }

  private async begin(
    place: Place,
    plan: AttemptPlan,
    planIndex: number,
    n: number,
    retryOf: number | undefined,
    unconfirmed: string[],
  ): Promise<Try | undefined> {
    const { leg, step, lease } = place;
    const how = this.prepare(plan);
    const longestDurationMs = how?.prepared.longestDurationMs ?? 0;
    const id = await this.records.begin(lease, leg, step, { n, planIndex, plan, retryOf, longestDurationMs });
    if (id === undefined) return undefined;
    return this.conduct(place, plan, { id, n }, unconfirmed, undefined);
  }

  /** An attempt that has ended already, or one that another owner began and that goes on. */
  private async settle(place: Place, plan: AttemptPlan, attempt: AttemptDocument, unconfirmed: string[]): Promise<Try> {
    const { id, n, ending, ageMs, started } = attempt;
    return ending ? { id, n, ending } : this.conduct(place, plan, { id, n }, unconfirmed, { ageMs, started });
  }

  private async conduct(
    { leg, step, lease }: Place,
    plan: AttemptPlan,
    { id, n }: { id: string; n: number },
    unconfirmed: string[],
    resumed: AttemptTask['resumed'],
  ): Promise<Try> {
    const how = this.prepare(plan);
    const probes = await this.probesOf(leg);
    const short = { id, n, leg, step, lease, plan };
    if (!how || !probes) {
      const ending = ended(how ? 'path-gone' : 'spec-invalid');
      await this.records.fail(short, ending);
      return { id, n, ending };
    }
    const result = await this.runner.run({
      ...short,
      ...how,
      ...probes,
      path: leg.path,
      ...(resumed ? { resumed } : {}),
    });
    unconfirmed.push(...result.unconfirmed);
    return { id, n, ending: result.ending };
  }

  private prepare(plan: AttemptPlan): { ability: Ability; prepared: PreparedAbility } | undefined {
    const ability = this.catalogue.abilityOf(plan.measurement, plan.tool);
    if (!ability || ability.schemaVersion !== plan.schemaVersion) return undefined;
    try {
      return { ability, prepared: ability.prepare(plan.spec) };
    } catch (error) {
      if (error instanceof z.ZodError) return undefined;
      throw error;
    }
  }

  /** Where both probes are now: an address may have changed since the run was asked for. */
  private async probesOf({ path }: LegDocument): Promise<{ near: ProbeTarget; far: ProbeTarget } | undefined> {
    const names = [path.source.probe, path.destination.probe];
    const rows = await this.database.retrying('find the probes', (client) =>
      client.probe.findMany({ where: { name: { in: names } }, select: { name: true, address: true, enrolled: true } }),
    );
    const [near, far] = names.map((name) => rows.find((row) => row.name === name));
    return near && far ? { near, far } : undefined;
  }

  private async resultsOf(finals: readonly { plan: AttemptPlan; last: Try }[]): Promise<PlannedResult[]> {
    const metrics = new Map<string, Metric[]>();
    for (const { last } of finals) metrics.set(last.id, []);
    for (const row of await this.metricRows({ attemptId: { in: [...metrics.keys()] } }))
      metrics.get(row.attemptId ?? '')?.push(row.metric);
    return finals.map(({ plan, last }) => ({ plan, ending: last.ending, metrics: metrics.get(last.id) ?? [] }));
  }

  private async metricsOf({ stepId }: { stepId: string }): Promise<Metric[]> {
    return (await this.metricRows({ stepId, attemptId: null })).map((row) => row.metric);
  }

  private async metricRows(where: { stepId: string; attemptId: null } | { attemptId: { in: string[] } }) {
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
