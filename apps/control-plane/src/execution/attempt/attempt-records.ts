import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  Artifact,
  Command,
  CounterMovement,
  End,
  Ending,
  HostSnapshot,
  Metric,
  SocketSample,
} from '@plumbline/model';
import type { AttemptPlan } from '@plumbline/plans';
import { insertMetrics, insertSamples } from '../../persistence/bulk-rows.js';
import { PostgresArtifactStore } from '../../persistence/postgres-artifact-store.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import type { Transaction } from '../../persistence/seams.js';
import { storableJsonText, storableText } from '../../persistence/storable-json.js';
import type { Lease } from '../leg/lease.js';
import { type LegKey, recordLegStart, recordStepStart, type StepKey } from '../leg/leg-records.js';
import type { ClockOffset } from '../probes/probe-facts.js';
import { TIMING } from '../timing.js';
import type { AttemptTask } from './attempt-task.js';
import { reasonOf } from './endings.js';
import type { LiveBatch } from './live-samples.js';

export interface NewAttempt {
  readonly n: number;
  readonly planIndex: number;
  readonly plan: AttemptPlan;
  readonly retryOf?: number;
  readonly longestDurationMs: number;
  /** Absent: it is not compared with earlier ones. */
  readonly series?: string | undefined;
}
export type Moment = 'before' | 'after';

/** What an attempt left behind. Its bytes are in the store already. */
export interface AttemptEnd {
  readonly ending: Ending;
  readonly metrics: readonly Metric[];
  readonly result: unknown;
  readonly notes: readonly string[];
  /** What was known before its output was read. Absent: nothing was conducted. */
  readonly conducted?: { readonly ending: Ending; readonly notes: readonly string[] };
  readonly commands: readonly Command[];
  readonly artifacts: readonly Artifact[];
  readonly clocks: Partial<Record<End, ClockOffset>>;
  /** Data sockets' samples that are not stored yet; with `replaceSamples` all of them. */
  readonly samples: readonly SocketSample[];
  readonly replaceSamples: boolean;
  /** Our time of its end; absent: now. */
  readonly endedAt?: Date | undefined;
}

/** Everything that is written of attempts, under the lease of their leg. */
@Injectable()
export class AttemptRecords {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly events: PostgresRunEvents,
    private readonly artifacts: PostgresArtifactStore,
  ) {}

  /**
   * The row of an attempt, before any probe hears of it; with the first, leg and step begin too. Claims are made to last
   * longer than the attempt can. @returns its id; undefined when the run was cancelled meanwhile
   */
  async begin(lease: Lease, leg: LegKey, step: StepKey, attempt: NewAttempt): Promise<string | undefined> {
    const id = randomUUID();
    return lease.write('begin an attempt', async (client) => {
      const [run] = await client.$queryRaw<{ cancelled: boolean }[]>`
        SELECT cancel_requested_at IS NOT NULL AS cancelled FROM run WHERE id = ${leg.runId}::uuid`;
      if (run?.cancelled) return undefined;
      await recordLegStart(client, this.events, leg);
      await recordStepStart(client, this.events, leg, step);
      const { plan, n } = attempt;
      const rows = await client.$queryRaw<{ id: string }[]>`
        INSERT INTO attempt (id, step_id, n, repeat, plan_index, cell, retry_of, measurement, tool, spec, schema_version,
          starts_at, optional, series, fence)
        VALUES (${id}::uuid, ${step.id}::uuid, ${n}, ${plan.repeat}, ${attempt.planIndex}, ${storableJsonText(plan.cell)}::jsonb,
          ${attempt.retryOf ?? null}, ${plan.measurement}, ${plan.tool}, ${storableJsonText(plan.spec)}::jsonb,
          ${plan.schemaVersion}, ${plan.startsAt ?? 'near'}::"End", ${plan.optional ?? false}, ${attempt.series ?? null}, ${lease.fence})
        ON CONFLICT (step_id, n) DO UPDATE SET n = excluded.n WHERE attempt.outcome IS NULL RETURNING id`;
      await client.$executeRaw`
        UPDATE claim SET expires_at = greatest(expires_at,
          now() + ${attempt.longestDurationMs + TIMING.claimMarginMs} * interval '1 millisecond')
        WHERE leg_id = ${leg.id}::uuid`;
      const data = { ...attemptKey(leg, step, n), repeat: plan.repeat, cell: plan.cell, outcome: null };
      await this.events.appendAll(leg.runId, [{ type: 'attempt', data }], client);
      return rows[0]?.id ?? id;
    });
  }

  /** Its time counts from now: nothing of it ran before. */
  async beginAnew(task: AttemptTask): Promise<void> {
    await task.lease.write(
      'begin an attempt anew',
      (client) => client.$executeRaw`
      UPDATE attempt SET started_at = now() WHERE id = ${task.id}::uuid AND outcome IS NULL`,
    );
  }

  /** The command lines as programs start: says that there may be traffic, and what runs. */
  async commands(task: AttemptTask, commands: readonly Command[]): Promise<void> {
    await task.lease.write(
      'note commands',
      (client) => client.$executeRaw`
      UPDATE attempt SET commands = ${storableJsonText(commands)}::jsonb WHERE id = ${task.id}::uuid AND outcome IS NULL`,
    );
  }

  async live(task: AttemptTask, batch: LiveBatch): Promise<void> {
    await task.lease.write('store samples', async (client) => {
      await insertSamples(client, task.id, batch.rows);
      await this.events.appendAll(task.leg.runId, batch.events, client);
    });
  }

  /** Up to which time of each end samples were stored and shown. */
  async shownUntil(task: AttemptTask): Promise<Partial<Record<End, number>>> {
    const rows = await this.database.client.$queryRaw<{ end: End; ms: number }[]>`
      SELECT "end"::text AS end, max(elapsed_ms) AS ms FROM sample WHERE attempt_id = ${task.id}::uuid GROUP BY 1`;
    return Object.fromEntries(rows.map((row) => [row.end, row.ms]));
  }

  async snapshot(task: AttemptTask, end: End, moment: Moment, snapshot: HostSnapshot, raw: Artifact): Promise<void> {
    await task.lease.write('store a snapshot', async (client) => {
      await client.$executeRaw`
        INSERT INTO snapshot (id, attempt_id, "end", moment, document, taken_at)
        VALUES (gen_random_uuid(), ${task.id}::uuid, ${end}::"End", ${moment}, ${storableJsonText(snapshot)}::jsonb,
          ${snapshot.takenAt}::timestamptz) ON CONFLICT DO NOTHING`;
      await this.artifacts.tie(task.id, [raw], client);
    });
  }

  async counters(task: AttemptTask, counters: Partial<Record<End, CounterMovement>>): Promise<void> {
    await task.lease.write(
      'store counters',
      (client) => client.$executeRaw`
      UPDATE attempt SET counters = ${storableJsonText(counters)}::jsonb WHERE id = ${task.id}::uuid`,
    );
  }

  /** Ends an attempt of which there is nothing to keep. */
  fail(task: Pick<AttemptTask, 'id' | 'lease' | 'leg' | 'step' | 'n' | 'plan'>, ending: Ending): Promise<void> {
    const nothing = { metrics: [], result: null, notes: [], commands: [], artifacts: [], clocks: {}, samples: [] };
    return this.end(task, { ending, ...nothing, replaceSamples: false });
  }

  /** The one transaction that ends an attempt. Nothing happens when it has ended already. */
  async end(task: Pick<AttemptTask, 'id' | 'lease' | 'leg' | 'step' | 'n' | 'plan'>, end: AttemptEnd): Promise<void> {
    await task.lease.write('end an attempt', async (client) => {
      if (!(await updateEnded(client, task.id, end))) return;
      await insertMetrics(client, { stepId: task.step.id, attemptId: task.id }, end.metrics);
      await this.artifacts.tie(task.id, end.artifacts, client);
      if (end.replaceSamples) await client.$executeRaw`DELETE FROM sample WHERE attempt_id = ${task.id}::uuid`;
      await insertSamples(client, task.id, end.samples);
      const { repeat, cell } = task.plan;
      const data = { ...attemptKey(task.leg, task.step, task.n), repeat, cell, ...end.ending, metrics: end.metrics };
      await this.events.appendAll(task.leg.runId, [{ type: 'attempt', data }], client);
    });
  }
}

export const attemptKey = (leg: LegKey, step: StepKey, n: number) => ({ leg: leg.index, step: step.index, attempt: n });

async function updateEnded(client: Transaction, id: string, end: AttemptEnd): Promise<boolean> {
  const { ending } = end;
  const detail = ending.outcome === 'completed' || ending.detail === undefined ? null : storableText(ending.detail);
  const changed = await client.$executeRaw`
    UPDATE attempt SET outcome = ${ending.outcome}::"Outcome", reason = ${reasonOf(ending) ?? null}, detail = ${detail},
      result = ${storableJsonText(end.result ?? null)}::jsonb, commands = ${storableJsonText(end.commands)}::jsonb,
      conducted = ${storableJsonText(end.conducted)}::jsonb, notes = ${storableJsonText(end.notes)}::jsonb,
      clock_offsets = ${storableJsonText(end.clocks)}::jsonb,
      ended_at = greatest(started_at, least(now(), ${end.endedAt ?? null}::timestamptz))
    WHERE id = ${id}::uuid AND outcome IS NULL`;
  return changed > 0;
}
