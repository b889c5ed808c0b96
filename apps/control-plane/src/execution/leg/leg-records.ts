import {
  combineStates,
  combineVerdicts,
  type Metric,
  type StepReason,
  statesBefore,
  type Verdict,
} from '@plumbline/model';
import { insertMetrics } from '../../persistence/bulk-rows.js';
import { Prisma, type StepState } from '../../persistence/generated/client.js';
import type { NewRunEvent, PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import type { Transaction } from '../../persistence/seams.js';
import { storableJsonText, storableText } from '../../persistence/storable-json.js';
import type { StepEnding } from '../attempt/endings.js';
import type { JudgedCriteria } from '../catalogue.js';
import type { LegConclusion } from '../diagnosis/diagnoser.js';

/** Which leg of which run, as events name it. */
export interface LegKey {
  readonly id: string;
  readonly runId: string;
  readonly index: number;
}
export interface StepKey {
  readonly id: string;
  readonly index: number;
}
export interface LegEnding {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  readonly reason?: StepReason;
  readonly detail?: string;
}

/** The states from which `to` may be reached, for `state = ANY (...)`. */
const before = (to: StepState): string[] => statesBefore(to);

/** queued -> running, of the leg and, with its first leg, of the run. Nothing happens the second time. */
export async function recordLegStart(client: Transaction, events: PostgresRunEvents, leg: LegKey): Promise<void> {
  const started = await client.$executeRaw`
    UPDATE leg SET state = 'running', started_at = coalesce(started_at, now())
    WHERE id = ${leg.id}::uuid AND state = 'queued'`;
  if (started === 0) return;
  const run = await client.$executeRaw`
    UPDATE run SET state = 'running', started_at = coalesce(started_at, now())
    WHERE id = ${leg.runId}::uuid AND state = 'queued'`;
  const changes: NewRunEvent[] = [{ type: 'leg', data: { leg: leg.index, state: 'running' } }];
  if (run > 0) changes.unshift({ type: 'run', data: { state: 'running' } });
  await events.appendAll(leg.runId, changes, client);
}

export async function recordStepStart(
  client: Transaction,
  events: PostgresRunEvents,
  leg: LegKey,
  step: StepKey,
): Promise<void> {
  const started = await client.$executeRaw`
    UPDATE step SET state = 'running', started_at = now() WHERE id = ${step.id}::uuid AND state = 'queued'`;
  if (started > 0)
    await events.appendAll(
      leg.runId,
      [{ type: 'step', data: { leg: leg.index, step: step.index, state: 'running' } }],
      client,
    );
}

/** A step's end with its metrics; nothing happens when it has ended already. */
export async function recordStepEnd(
  client: Transaction,
  events: PostgresRunEvents,
  leg: LegKey,
  step: StepKey,
  ending: StepEnding | { state: 'skipped'; reason: StepReason; detail?: string },
  metrics: readonly Metric[] = [],
): Promise<void> {
  const changed = await client.$executeRaw`
    UPDATE step SET state = ${ending.state}::"StepState", reason = ${ending.reason ?? null},
      detail = ${ending.detail === undefined ? null : storableText(ending.detail)}, ended_at = now()
    WHERE id = ${step.id}::uuid AND state::text = ANY (${before(ending.state)}::text[])`;
  if (changed === 0) return;
  await insertMetrics(client, { stepId: step.id, attemptId: null }, metrics);
  const data = { leg: leg.index, step: step.index, ...ending, metrics };
  await events.appendAll(leg.runId, [{ type: 'step', data }], client);
}

/**
 * A leg's end: its open steps end with it, its claims are given back (but for the probes where traffic may still run), and
 * the run ends with its last leg. Nothing happens when it has ended already.
 * @param rest what becomes of steps that have not ended
 */
export async function recordLegEnd(
  client: Transaction,
  events: PostgresRunEvents,
  leg: LegKey,
  ending: LegEnding,
  options: {
    rest?: { state: 'skipped' | 'cancelled'; reason: StepReason };
    judged?: JudgedCriteria;
    concluded?: LegConclusion;
    keepProbes?: readonly string[];
  } = {},
): Promise<boolean> {
  const changed = await client.$executeRaw`
    UPDATE leg SET state = ${ending.state}::"RunState", reason = ${ending.reason ?? null},
      detail = ${ending.detail === undefined ? null : storableText(ending.detail)}, ended_at = now(),
      verdict = ${options.judged?.verdict ?? 'none'}::"Verdict",
      criteria = ${storableJsonText(options.judged?.criteria ?? [])}::jsonb, owner = NULL
    WHERE id = ${leg.id}::uuid AND state::text = ANY (${before(ending.state)}::text[])`;
  if (changed === 0) return false;
  if (options.rest) await endOpenSteps(client, events, leg, options.rest);
  if (options.concluded) await recordConclusion(client, leg.id, options.concluded);
  await releaseClaims(client, leg.id, options.keepProbes ?? []);
  const data = {
    leg: leg.index,
    ...ending,
    verdict: options.judged?.verdict ?? 'none',
    criteria: options.judged?.criteria ?? [],
    ...(options.concluded ? { diagnosis: options.concluded.diagnosis } : {}),
  };
  await events.appendAll(leg.runId, [{ type: 'leg', data }], client);
  await recordRunEnd(client, events, leg.runId);
  return true;
}

/** What the rules conclude takes the place of what they concluded before. */
export async function recordConclusion(
  client: Transaction,
  legId: string,
  { findings, diagnosis }: LegConclusion,
): Promise<void> {
  await client.$executeRaw`
    UPDATE leg SET diagnosis = ${storableJsonText(diagnosis)}::jsonb WHERE id = ${legId}::uuid`;
  await client.$executeRaw`
    UPDATE step SET findings = coalesce(${storableJsonText(findings)}::jsonb -> index::text, '[]') WHERE leg_id = ${legId}::uuid`;
}

/** Ends the attempts of a leg that nobody walks: a background leg that gave way and was cancelled before it went on. */
export async function recordAttemptsCancelled(
  client: Transaction,
  events: PostgresRunEvents,
  leg: LegKey,
): Promise<void> {
  const ending = { outcome: 'cancelled', reason: 'cancelled-by-user' } as const;
  const rows = await client.$queryRaw<{ step: number; attempt: number; repeat: number; cell: unknown }[]>`
    UPDATE attempt SET outcome = 'cancelled', reason = ${ending.reason}, ended_at = now() FROM step
    WHERE attempt.step_id = step.id AND step.leg_id = ${leg.id}::uuid AND attempt.outcome IS NULL
    RETURNING step.index AS step, attempt.n AS attempt, attempt.repeat, attempt.cell`;
  const told = rows.map((row) => ({
    type: 'attempt' as const,
    data: { leg: leg.index, ...row, ...ending, metrics: [] },
  }));
  await events.appendAll(leg.runId, told, client);
}

async function endOpenSteps(
  client: Transaction,
  events: PostgresRunEvents,
  leg: LegKey,
  rest: { state: 'skipped' | 'cancelled'; reason: StepReason },
): Promise<void> {
  const rows = await client.$queryRaw<{ index: number; state: string }[]>`
    UPDATE step SET state = (CASE WHEN state = 'running' AND ${rest.state} = 'skipped' THEN 'failed' ELSE ${rest.state} END)::"StepState",
      reason = ${rest.reason}, ended_at = now()
    WHERE leg_id = ${leg.id}::uuid AND state IN ('queued', 'running')
    RETURNING index, state::text`;
  await events.appendAll(
    leg.runId,
    rows
      .sort((a, b) => a.index - b.index)
      .map((row) => ({
        type: 'step',
        data: { leg: leg.index, step: row.index, state: row.state, reason: rest.reason },
      })),
    client,
  );
}

/** Claims on probes where an attempt may still send are kept until they expire, and the links with them. */
async function releaseClaims(client: Transaction, legId: string, keepProbes: readonly string[]): Promise<void> {
  const keep = keepProbes.flatMap((probe) => [`probe/${probe}`, `probe/${probe}/%`]);
  if (keep.length > 0) keep.push('link/%');
  await client.$executeRaw`
    DELETE FROM claim WHERE leg_id = ${legId}::uuid AND NOT resource LIKE ANY (${keep}::text[])`;
}

/** Ends the run once all its legs have: its state and verdict are those of its legs. Locks the run first. */
async function recordRunEnd(client: Transaction, events: PostgresRunEvents, runId: string): Promise<void> {
  const runs = await client.$queryRaw<{ state: StepState }[]>`
    SELECT state::text FROM run WHERE id = ${runId}::uuid FOR NO KEY UPDATE`;
  if (runs[0]?.state !== 'queued' && runs[0]?.state !== 'running') return;
  const legs = await client.$queryRaw<{ state: StepState; verdict: Verdict }[]>`
    SELECT state::text, verdict::text FROM leg WHERE run_id = ${runId}::uuid`;
  if (legs.some((leg) => leg.state === 'queued' || leg.state === 'running')) return;
  const state = combineStates(legs.map((leg) => leg.state));
  const verdict = combineVerdicts(legs.map((leg) => leg.verdict));
  await client.$executeRaw(Prisma.sql`
    UPDATE run SET state = ${state}::"RunState", verdict = ${verdict}::"Verdict", ended_at = now(),
      started_at = coalesce(started_at, CASE WHEN ${state} = 'succeeded' THEN now() END)
    WHERE id = ${runId}::uuid`);
  await events.appendAll(runId, [{ type: 'run', data: { state, verdict } }], client);
}

/** Ends a leg whose walk broke off by a mistake of ours, with whatever of it was open. Its claims last until they expire. */
export async function recordLegBroken(
  client: Transaction,
  events: PostgresRunEvents,
  { legId, runId }: { legId: string; runId: string },
): Promise<void> {
  const rows = await client.$queryRaw<{ index: number }[]>`SELECT index FROM leg WHERE id = ${legId}::uuid`;
  const index = rows[0]?.index;
  if (index === undefined) return;
  await client.$executeRaw`
    UPDATE attempt SET outcome = 'failed', reason = 'internal-error', ended_at = now() FROM step
    WHERE attempt.step_id = step.id AND step.leg_id = ${legId}::uuid AND attempt.outcome IS NULL`;
  const held = await client.$queryRaw<{ resource: string }[]>`SELECT resource FROM claim WHERE leg_id = ${legId}::uuid`;
  const probes = held.flatMap(({ resource }) => (resource.startsWith('probe/') ? (resource.split('/')[1] ?? []) : []));
  const reason = 'internal-error';
  const options = { rest: { state: 'skipped', reason }, keepProbes: [...new Set(probes)] } as const;
  await recordLegEnd(client, events, { id: legId, runId, index }, { state: 'failed', reason }, options);
}
