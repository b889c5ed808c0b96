import { Injectable } from '@nestjs/common';
import type { AttemptEvidence, LegEvidence, SnapshotPair, StepEvidence } from '@plumbline/analysis';
import { CounterMovement, End, EndAccount, HostSnapshot, type Metric, SocketSample } from '@plumbline/model';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import type { AttemptDocument, LegDocument, StepDocument } from '../leg/leg-document.js';
import { StepResults } from '../leg/step-results.js';

/**
 * A test of an hour reads its sockets 14,400 times an end and stream. What is more than this many readings of one attempt is
 * thinned evenly: rules look at shares, means and extremes.
 */
const MOST_SAMPLES = 20_000;

/** Gives the diagnosis what is on record of a leg: read from Postgres, so that it is the same when it is derived again. */
@Injectable()
export class LegEvidences {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly results: StepResults,
  ) {}

  /** @throws {z.ZodError} when a document is not as it was written */
  async of(leg: LegDocument): Promise<LegEvidence> {
    const finals = leg.steps.flatMap((step) => finalAttempts(step));
    const ids = finals.map(({ id }) => id);
    const [metrics, rows, samples, snapshots, ofSteps] = await Promise.all([
      this.results.of(finals.map((attempt) => ({ plan: attempt.plan, last: attempt }))),
      this.rowsOf(ids),
      this.samplesOf(ids),
      this.snapshotsOf(ids),
      Promise.all(leg.steps.map((step) => this.results.ofStep(step.id))),
    ]);
    const metricsOf = new Map(finals.map(({ id }, i) => [id, metrics[i]?.metrics ?? []]));
    const evidence = (attempt: EndedAttempt): AttemptEvidence =>
      attemptEvidence(attempt, {
        metrics: metricsOf.get(attempt.id) ?? [],
        row: rows.get(attempt.id),
        samples: samples.get(attempt.id) ?? [],
        snapshots: snapshots.get(attempt.id) ?? {},
      });
    return {
      path: leg.path.path,
      steps: leg.steps.map(
        (step, i): StepEvidence => ({
          index: step.index,
          kind: step.test.kind,
          ...(step.test.name === undefined ? {} : { name: step.test.name }),
          test: step.test,
          metrics: ofSteps[i] ?? [],
          attempts: finalAttempts(step).map(evidence),
        }),
      ),
    };
  }

  private async rowsOf(ids: readonly string[]): Promise<Map<string, AttemptRow>> {
    const rows = await this.database.retrying(
      'read attempts',
      (client) => client.$queryRaw<{ id: string; ends: unknown; counters: unknown }[]>`
        SELECT id, result -> 'ends' AS ends, counters FROM attempt WHERE id = ANY(${[...ids]}::uuid[])`,
    );
    return new Map(
      rows.map((row) => [
        row.id,
        {
          ends: z.array(EndAccount).safeParse(row.ends).data ?? [],
          counters: z.partialRecord(End, CounterMovement).safeParse(row.counters).data ?? {},
        },
      ]),
    );
  }

  private async samplesOf(ids: readonly string[]): Promise<Map<string, SocketSample[]>> {
    const rows = await this.database.retrying(
      'read samples',
      (client) => client.$queryRaw<{ id: string; document: unknown }[]>`
        SELECT attempt_id AS id, document FROM (
          SELECT *, row_number() OVER (PARTITION BY attempt_id ORDER BY id) AS nth, count(*) OVER (PARTITION BY attempt_id) AS total
          FROM sample WHERE attempt_id = ANY(${[...ids]}::uuid[])
        ) AS numbered WHERE nth % greatest(1, (total / ${MOST_SAMPLES})::int) = 0
        ORDER BY attempt_id, elapsed_ms, nth`,
    );
    const found = new Map<string, SocketSample[]>();
    for (const { id, document } of rows) {
      const sample = SocketSample.safeParse(document).data;
      if (!sample) continue;
      const list = found.get(id);
      if (list) list.push(sample);
      else found.set(id, [sample]);
    }
    return found;
  }

  private async snapshotsOf(ids: readonly string[]): Promise<Map<string, Partial<Record<End, SnapshotPair>>>> {
    const rows = await this.database.retrying('read snapshots', (client) =>
      client.snapshot.findMany({
        where: { attemptId: { in: [...ids] }, moment: { in: ['before', 'after'] } },
        select: { attemptId: true, end: true, moment: true, document: true },
      }),
    );
    const found = new Map<string, Partial<Record<End, SnapshotPair>>>();
    for (const { attemptId, end, moment, document } of rows) {
      const snapshot = HostSnapshot.safeParse(document).data;
      if (!snapshot) continue;
      const pairs = found.get(attemptId) ?? {};
      pairs[end] = { ...pairs[end], [moment === 'before' ? 'before' : 'after']: snapshot };
      found.set(attemptId, pairs);
    }
    return found;
  }
}

interface AttemptRow {
  readonly ends: readonly EndAccount[];
  readonly counters: Partial<Record<End, CounterMovement>>;
}
type EndedAttempt = AttemptDocument & { readonly ending: NonNullable<AttemptDocument['ending']> };

/** The last try of each place in the step's list: a retry stands for what it replaced. */
function finalAttempts(step: StepDocument): EndedAttempt[] {
  return [...Map.groupBy(step.attempts, ({ planIndex }) => planIndex).values()].flatMap((tries) => {
    const last = tries.at(-1);
    return last?.ending ? [{ ...last, ending: last.ending }] : [];
  });
}

function attemptEvidence(
  { n, plan, ending }: EndedAttempt,
  record: {
    readonly metrics: readonly Metric[];
    readonly row: AttemptRow | undefined;
    readonly samples: readonly SocketSample[];
    readonly snapshots: Partial<Record<End, SnapshotPair>>;
  },
): AttemptEvidence {
  return {
    n,
    repeat: plan.repeat,
    cell: plan.cell,
    measurement: plan.measurement,
    tool: plan.tool,
    spec: plan.spec,
    ...(plan.startsAt === 'far' ? { startsAt: plan.startsAt } : {}),
    outcome: ending.outcome,
    ...(ending.outcome === 'completed' ? {} : { reason: ending.reason }),
    metrics: record.metrics,
    ends: record.row?.ends ?? [],
    counters: record.row?.counters ?? {},
    samples: record.samples,
    snapshots: record.snapshots,
  };
}
