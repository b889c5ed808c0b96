import { type End, type Ending, ended, LabelKey, Outcome, parseReason } from '@plumbline/model';
import type { AttemptPlan } from '@plumbline/plans';
import { z } from 'zod';
import { LegPath } from '../../persistence/leg-path.js';
import type { PostgresDatabase } from '../../persistence/postgres-database.js';
import { type AnyTest, PlanDocument } from '../catalogue.js';

/** A leg as Postgres has it: the truth from which every owner goes on. */
export interface LegDocument {
  readonly id: string;
  readonly index: number;
  readonly runId: string;
  readonly state: string;
  readonly path: LegPath;
  readonly exclusive: boolean;
  readonly tooLate: boolean;
  readonly cancelRequested: boolean;
  readonly criteria: readonly unknown[];
  readonly steps: readonly StepDocument[];
}
export interface StepDocument {
  readonly id: string;
  readonly index: number;
  readonly state: string;
  readonly test: AnyTest;
  readonly attempts: readonly AttemptDocument[];
}
export interface AttemptDocument {
  readonly id: string;
  readonly n: number;
  readonly planIndex: number;
  /** What it was planned to be: the row says so, also after a restart with another version of the kind. */
  readonly plan: AttemptPlan;
  /** Absent: it has not ended. */
  readonly ending?: Ending;
  /** Whether a probe was seen to have started a program for it. */
  readonly started: boolean;
  /** Since when it exists, by Postgres' clock. */
  readonly ageMs: number;
}

/** @returns undefined when the leg was deleted. @throws {z.ZodError} when a document is not as it was written */
export async function loadLeg(database: PostgresDatabase, legId: string): Promise<LegDocument | undefined> {
  return database.retrying('load a leg', async (client) => {
    const row = await client.leg.findUnique({
      where: { id: legId },
      include: {
        run: { select: { planDocument: true, cancelRequestedAt: true } },
        steps: {
          orderBy: { index: 'asc' },
          include: { attempts: { orderBy: { n: 'asc' }, omit: { result: true, notes: true } } },
        },
      },
    });
    if (!row) return undefined;
    const [clock] = await client.$queryRaw<{ now: Date }[]>`SELECT now() AS now`;
    const nowMs = clock?.now.getTime() ?? Date.now();
    const plan = PlanDocument.parse(row.run.planDocument);
    return {
      id: row.id,
      index: row.index,
      runId: row.runId,
      state: row.state,
      path: LegPath.parse(row.pathDocument),
      exclusive: row.exclusive,
      tooLate: row.notAfter !== null && row.notAfter.getTime() < nowMs,
      cancelRequested: row.run.cancelRequestedAt !== null,
      criteria: plan.criteria,
      steps: row.steps.map((step) => ({
        id: step.id,
        index: step.index,
        state: step.state,
        test: plan.tests[step.index] ?? { kind: step.kind, onFailure: 'continue' },
        attempts: step.attempts.map((attempt) => ({
          id: attempt.id,
          n: attempt.n,
          planIndex: attempt.planIndex,
          plan: planOf(attempt),
          ending: endingOf(attempt),
          started: Array.isArray(attempt.commands) && attempt.commands.length > 0,
          ageMs: nowMs - attempt.startedAt.getTime(),
        })),
      })),
    };
  });
}

const Cell = z.partialRecord(LabelKey, z.string());

interface PlanRow {
  readonly repeat: number;
  readonly cell: unknown;
  readonly measurement: string;
  readonly tool: string;
  readonly spec: unknown;
  readonly specVersion: number;
  readonly startsAt: End;
  readonly optional: boolean;
}

/** @throws {z.ZodError} when the cell is not as it was written */
const planOf = (row: PlanRow): AttemptPlan => ({
  repeat: row.repeat,
  cell: Cell.parse(row.cell),
  measurement: row.measurement,
  schemaVersion: row.specVersion,
  tool: row.tool,
  spec: row.spec,
  ...(row.startsAt === 'far' ? { startsAt: row.startsAt } : {}),
  ...(row.optional ? { optional: true } : {}),
});

/** Prisma names the enum's value `timed_out`; the language of the product says `timed-out`. */
export function endingOf(row: {
  outcome: string | null;
  reason: string | null;
  detail: string | null;
}): Ending | undefined {
  if (row.outcome === null) return undefined;
  const outcome = Outcome.parse(row.outcome.replace('_', '-'));
  if (outcome === 'completed') return { outcome };
  const { reason } = ended(parseReason(row.reason ?? ''));
  return { outcome, reason, ...(row.detail === null ? {} : { detail: row.detail }) };
}
