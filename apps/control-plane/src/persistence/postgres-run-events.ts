import { Injectable } from '@nestjs/common';
import { Prisma } from './generated/client.js';
import { PostgresDatabase } from './postgres-database.js';
import { type RunEvent, RunEvents, type RunEventType, type Transaction } from './seams.js';
import { storableJsonText } from './storable-json.js';

export interface NewRunEvent {
  readonly type: RunEventType;
  readonly data: unknown;
  /** false: a replay leaves it out. */
  readonly replay?: boolean;
}

/** Run events in Postgres. One statement numbers, stores and signals, so that numbers have no gaps and no doubles. */
@Injectable()
export class PostgresRunEvents extends RunEvents {
  constructor(private readonly database: PostgresDatabase) {
    super();
  }

  append(
    runId: string,
    type: RunEventType,
    data: Prisma.InputJsonValue,
    options: { replay?: boolean; client?: Transaction } = {},
  ): Promise<number> {
    return this.appendAll(runId, [{ type, data, replay: options.replay }], options.client);
  }

  /** Appends several in order. @returns the last one's number; 0 when the run does not exist or nothing was given */
  async appendAll(runId: string, events: readonly NewRunEvent[], client?: Transaction): Promise<number> {
    if (events.length === 0) return 0;
    const types = events.map((event) => event.type);
    const data = events.map((event) => storableJsonText(event.data));
    const replay = events.map((event) => event.replay ?? true);
    const rows = await (client ?? this.database.client).$queryRaw<{ seq: number }[]>`
      WITH base AS (
        UPDATE run SET last_event = last_event + ${events.length}
        WHERE id = ${runId}::uuid RETURNING last_event - ${events.length} AS seq
      ), added AS (
        INSERT INTO run_event (run_id, seq, type, data, replay, at)
        SELECT ${runId}::uuid, base.seq + new.ord, new.type, new.data::jsonb, new.replay, clock_timestamp()
        FROM base, unnest(${types}::text[], ${data}::text[], ${replay}::boolean[])
          WITH ORDINALITY AS new (type, data, replay, ord)
        RETURNING seq
      )
      SELECT max(seq)::int AS seq, pg_notify('run_event', ${runId})::text FROM added`;
    return rows[0]?.seq ?? 0;
  }

  async read(runId: string, afterSeq: number, options: { all: boolean; limit: number }): Promise<RunEvent[]> {
    const rows = await this.database.client.runEvent.findMany({
      where: { runId, seq: { gt: afterSeq }, ...(options.all ? {} : { replay: true }) },
      orderBy: { seq: 'asc' },
      take: options.limit,
    });
    return rows.flatMap((row) =>
      isRunEventType(row.type) ? [{ seq: row.seq, type: row.type, at: row.at.toISOString(), data: row.data }] : [],
    );
  }
}

const TYPES: readonly RunEventType[] = ['run', 'leg', 'step', 'attempt', 'sample', 'log'];
const isRunEventType = (type: string): type is RunEventType => TYPES.some((known) => known === type);
