import { Injectable } from '@nestjs/common';
import {
  type AttemptReading,
  combineStates,
  combineVerdicts,
  type Ending,
  ended,
  type Metric,
  parseReason,
  StepState,
  statesRereadAs,
  VERSION,
  Verdict,
} from '@plumbline/model';
import type { AttemptPlan } from '@plumbline/plans';
import { insertMetrics } from '../../persistence/bulk-rows.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { type NewRunEvent, PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import type { Transaction } from '../../persistence/seams.js';
import { storableJsonText, storableText } from '../../persistence/storable-json.js';
import { stepEnding } from '../attempt/endings.js';
import { Catalogue, type EndedStep, type JudgedCriteria } from '../catalogue.js';
import { type LegDocument, loadLeg, type StepDocument } from '../leg/leg-document.js';
import { StepResults } from '../leg/step-results.js';
import type { WholeReading } from './difference.js';

/** What a new reading replaces. */
export interface ReparsedPlace {
  readonly leg: LegDocument;
  readonly step: StepDocument;
  readonly attempt: { readonly id: string; readonly n: number; readonly plan: AttemptPlan };
}

/** With each event of a new reading: who made it. */
const reparsed = { version: VERSION };

/**
 * Writes a new reading of an attempt, and what follows from it, in one transaction. The run has ended, so nobody else writes
 * there. Events tell it to those who come later: the last one is again that in which the run ends.
 */
@Injectable()
export class ReparseRecords {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly catalogue: Catalogue,
    private readonly results: StepResults,
    private readonly events: PostgresRunEvents,
  ) {}

  async store(place: ReparsedPlace, { reading, result }: WholeReading): Promise<void> {
    const { attempt } = place;
    await this.database.transaction('store a new reading', async (client) => {
      // Two new readings in one run wait for each other: each sees what the other made of the rest.
      await client.$queryRaw`SELECT id FROM run WHERE id = ${place.leg.runId}::uuid FOR NO KEY UPDATE`;
      const leg = await loadLeg(this.database, place.leg.id);
      const step = leg?.steps.find(({ id }) => id === place.step.id);
      if (!leg || !step) return;
      const steps = await Promise.all(leg.steps.map((one) => this.endedStep(one, attempt.id, reading)));
      const own = steps[leg.steps.indexOf(step)];
      if (!own) return;
      await updateAttempt(client, attempt.id, reading, result);
      await replaceMetrics(client, { stepId: step.id, attemptId: attempt.id }, reading.metrics);
      await replaceMetrics(client, { stepId: step.id, attemptId: null }, own.step.metrics);
      await updateStep(client, step, own.endings);
      const judged = this.catalogue.judge(
        leg.criteria,
        steps.map((one) => one.step),
        leg.path.path,
      );
      await updateLeg(client, leg, judged);
      await updateRun(client, leg.runId);
      const told = await eventsOf(client, { leg, step, attempt }, reading, own.step.metrics);
      await this.events.appendAll(leg.runId, told, client);
    });
  }

  /** A step as its criteria see it, with the new reading in its place. */
  private async endedStep(
    step: StepDocument,
    attemptId: string,
    reading: AttemptReading,
  ): Promise<{ step: EndedStep; endings: Ending[] }> {
    const finals = [...Map.groupBy(step.attempts, ({ planIndex }) => planIndex).values()].flatMap((tries) => {
      const last = tries.at(-1);
      const ending = last?.id === attemptId ? asEnding(reading) : last?.ending;
      return last && ending ? [{ plan: last.plan, last: { id: last.id, ending } }] : [];
    });
    const stored = await this.results.of(finals);
    const results = stored.map((one, i) =>
      finals[i]?.last.id === attemptId ? { ...one, metrics: reading.metrics } : one,
    );
    const changed = finals.some(({ last }) => last.id === attemptId);
    const summary = changed ? this.catalogue.kindOf(step.test.kind)?.summarise(step.test, results) : undefined;
    const metrics = summary ?? (await this.results.ofStep(step.id));
    return {
      step: { test: step.test, metrics, results },
      endings: finals.filter(counts).map(({ last }) => last.ending),
    };
  }
}

/** Optional attempts do not decide how a step ended. */
const counts = ({ plan }: { readonly plan: AttemptPlan }): boolean => plan.optional !== true;

const asEnding = ({ outcome, reason, detail }: AttemptReading): Ending =>
  outcome === 'completed' ? { outcome } : { ...ended(parseReason(reason ?? ''), detail), outcome };

async function updateAttempt(client: Transaction, id: string, reading: AttemptReading, result: unknown): Promise<void> {
  await client.$executeRaw`
    UPDATE attempt SET outcome = ${reading.outcome}::"Outcome", reason = ${reading.reason ?? null},
      detail = ${reading.detail === undefined ? null : storableText(reading.detail)},
      result = ${storableJsonText(result)}::jsonb, notes = ${storableJsonText(reading.notes)}::jsonb
    WHERE id = ${id}::uuid`;
}

async function replaceMetrics(
  client: Transaction,
  owner: { readonly stepId: string; readonly attemptId: string | null },
  metrics: readonly Metric[],
): Promise<void> {
  await client.metric.deleteMany({ where: owner });
  await insertMetrics(client, owner, metrics);
}

/** A step that was skipped or cancelled stays that: its attempts did not decide it. */
async function updateStep(client: Transaction, step: StepDocument, endings: readonly Ending[]): Promise<void> {
  const { state, reason, detail } = stepEnding(endings);
  await client.$executeRaw`
    UPDATE step SET state = ${state}::"StepState", reason = ${reason ?? null}, detail = ${detail === undefined ? null : storableText(detail)}
    WHERE id = ${step.id}::uuid AND state::text = ANY (${statesRereadAs(state)}::text[])`;
}

async function updateLeg(client: Transaction, leg: LegDocument, judged: JudgedCriteria): Promise<void> {
  const rows = await client.step.findMany({ where: { legId: leg.id }, orderBy: { index: 'asc' } });
  const state = combineStates(rows.map((row) => StepState.parse(row.state)));
  const first = rows.find((row) => row.state === state && state !== 'succeeded');
  await client.$executeRaw`
    UPDATE leg SET verdict = ${judged.verdict}::"Verdict", criteria = ${storableJsonText(judged.criteria)}::jsonb
    WHERE id = ${leg.id}::uuid`;
  // What was not carried out is not made good by reading something else again.
  if (rows.some((row) => row.state === 'skipped' || row.state === 'cancelled')) return;
  await client.$executeRaw`
    UPDATE leg SET state = ${state}::"RunState", reason = ${first?.reason ?? null}, detail = ${first?.detail ?? null}
    WHERE id = ${leg.id}::uuid AND state::text = ANY (${statesRereadAs(state)}::text[])`;
}

async function updateRun(client: Transaction, runId: string): Promise<void> {
  const legs = await client.leg.findMany({ where: { runId }, select: { state: true, verdict: true } });
  const state = combineStates(legs.map((leg) => StepState.parse(leg.state)));
  const verdict = combineVerdicts(legs.map((leg) => Verdict.parse(leg.verdict)));
  await client.$executeRaw`
    UPDATE run SET verdict = ${verdict}::"Verdict", reparsed_at = now(), reparsed_by = ${VERSION},
      state = (CASE WHEN state::text = ANY (${statesRereadAs(state)}::text[]) THEN ${state} ELSE state::text END)::"RunState"
    WHERE id = ${runId}::uuid`;
}

/** What the new reading made of attempt, step, leg and run, as they are told when they end. */
async function eventsOf(
  client: Transaction,
  { leg, step, attempt: { n, plan } }: ReparsedPlace,
  { notes: _, ...reading }: AttemptReading,
  stepMetrics: readonly Metric[],
): Promise<NewRunEvent[]> {
  const why = (row: { reason: string | null; detail: string | null }) => ({
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.detail === null ? {} : { detail: row.detail }),
  });
  // One after another: a transaction has one connection.
  const stepRow = await client.step.findUniqueOrThrow({ where: { id: step.id } });
  const legRow = await client.leg.findUniqueOrThrow({ where: { id: leg.id } });
  const run = await client.run.findUniqueOrThrow({ where: { id: leg.runId }, select: { state: true, verdict: true } });
  const at = { leg: leg.index, step: step.index };
  const { verdict, criteria } = legRow;
  return [
    { type: 'attempt', data: { ...at, attempt: n, repeat: plan.repeat, cell: plan.cell, ...reading, reparsed } },
    { type: 'step', data: { ...at, state: stepRow.state, ...why(stepRow), metrics: stepMetrics, reparsed } },
    { type: 'leg', data: { leg: leg.index, state: legRow.state, ...why(legRow), verdict, criteria, reparsed } },
    { type: 'run', data: { ...run, reparsed } },
  ];
}
