import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Earlier, PreparedAbility, Reading } from '@plumbline/measure';
import type { AttemptPlan } from '@plumbline/plans';
import { z } from 'zod';
import type { LegPath } from '../../persistence/leg-path.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';

/**
 * Names the series that an attempt is one of: attempts that can be compared with each other. A path whose endpoints have other
 * addresses now is another one.
 * @returns undefined for what is not compared with earlier ones
 */
export function seriesOf(path: LegPath, plan: AttemptPlan, prepared: PreparedAbility): string | undefined {
  if (!prepared.sinceLast) return undefined;
  const same = Object.entries(prepared.sinceLast.same).sort(([a], [b]) => (a < b ? -1 : 1));
  const { measurement, tool, startsAt = 'near' } = plan;
  const ends = [path.source.address, path.destination.address];
  const key = JSON.stringify([measurement, tool, startsAt, path.path.name, ends, same]);
  return createHash('sha256').update(key).digest('hex');
}

/** Of a stored result: with which attempt it was compared. */
const Compared = z.object({ changes: z.object({ since: z.object({ attempt: z.uuid() }).nullable() }) });

/** Finds what an attempt is to be compared with. */
@Injectable()
export class Series {
  constructor(private readonly database: PostgresDatabase) {}

  /** The reading with what a comparison with the last attempt of its series adds, where it is one of a series. */
  async besideLast(attemptId: string, prepared: PreparedAbility, reading: Reading): Promise<Reading> {
    return prepared.sinceLast ? prepared.sinceLast.compare(reading, await this.lastBefore(attemptId)) : reading;
  }

  /** The same of an attempt that is read again: beside the one that its record was compared with, if it was. */
  async besideRecorded(id: string, prepared: PreparedAbility, reading: Reading, recorded: unknown): Promise<Reading> {
    if (!prepared.sinceLast) return reading;
    const compared = Compared.safeParse(recorded).data?.changes.since;
    const earlier = compared === undefined ? this.lastBefore(id) : compared && this.byId(compared.attempt);
    return prepared.sinceLast.compare(reading, (await earlier) ?? undefined);
  }

  /** The last one of another step that had completed when this one began: repeats of a step have the same predecessor. */
  private async lastBefore(attemptId: string): Promise<Earlier | undefined> {
    const rows = await this.database.retrying(
      'find the last attempt of a series',
      (client) => client.$queryRaw<EarlierRow[]>`
        SELECT other.id, other.ended_at AS "endedAt", other.result, leg.run_id AS run
        FROM attempt mine
        JOIN attempt other ON other.series = mine.series AND other.outcome = 'completed'
          AND other.ended_at <= mine.started_at AND other.step_id <> mine.step_id
        JOIN step ON step.id = other.step_id JOIN leg ON leg.id = step.leg_id
        WHERE mine.id = ${attemptId}::uuid
        ORDER BY other.ended_at DESC, other.id DESC LIMIT 1`,
    );
    return rows[0] && earlierOf(rows[0]);
  }

  private async byId(id: string): Promise<Earlier | undefined> {
    const rows = await this.database.retrying(
      'find an earlier attempt',
      (client) => client.$queryRaw<EarlierRow[]>`
        SELECT attempt.id, attempt.ended_at AS "endedAt", attempt.result, leg.run_id AS run
        FROM attempt JOIN step ON step.id = attempt.step_id JOIN leg ON leg.id = step.leg_id
        WHERE attempt.id = ${id}::uuid`,
    );
    return rows[0] && earlierOf(rows[0]);
  }
}

interface EarlierRow {
  readonly id: string;
  readonly endedAt: Date;
  readonly result: unknown;
  readonly run: string;
}

const earlierOf = ({ id, endedAt, result, run }: EarlierRow): Earlier => ({
  run,
  attempt: id,
  endedAt: endedAt.toISOString(),
  result,
});
