import { Injectable } from '@nestjs/common';
import { Endpoint } from '@plumbline/model';
import { z } from 'zod';
import { LegPath } from '../../persistence/leg-path.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { PostgresRunEvents } from '../../persistence/postgres-run-events.js';
import type { Transaction } from '../../persistence/seams.js';
import { type LegKey, recordLegEnd } from '../leg/leg-records.js';
import { TIMING } from '../timing.js';
import { type Held, hold, wantsOf } from './claim-spans.js';
import { type Chosen, chooseLegs, PATIENCE, type WaitingLeg } from './dispatch-order.js';

/** Of all replicas only one dispatches at a time; the number is arbitrary and ours. */
const DISPATCH_LOCK = 7_405_401;
/** How many waiting legs one pass looks at: the first by priority and age. */
const MAX_WAITING = 10_000;

export interface ClaimedLeg {
  readonly id: string;
  readonly fence: bigint;
  /** How long it had been ready, ms. */
  readonly waitedMs: number;
}
export interface Pass {
  readonly claimed: readonly ClaimedLeg[];
  /** Background legs that gave way: they wait again, and what runs of them at probes has to end now. */
  readonly displaced: readonly string[];
  /** When a notBefore, a notAfter or the end of a claim makes another look worthwhile, ms from now; absent: nothing is due. */
  readonly nextInMs?: number;
}

interface WaitingRow {
  id: string;
  exclusive: boolean;
  background: boolean;
  priority: number;
  ready_ms: number;
}
interface HeldRow {
  resource: string;
  lower: bigint;
  upper: bigint;
  leg_id: string;
  /** Of a background leg that has not ended. */
  yields: boolean;
}

/** Claims interfaces and shared links for legs that may start: one transaction, one fence each. */
@Injectable()
export class Claims {
  /** Paths of legs do not change; reading thousands of them in each pass would be most of its work. */
  private readonly paths = new Map<string, LegPath>();

  constructor(
    private readonly database: PostgresDatabase,
    private readonly events: PostgresRunEvents,
  ) {}

  /** Claims every leg that can start now. Also ends those whose notAfter has passed. */
  async claimFree(): Promise<Pass> {
    return this.database.transaction('dispatch', async (client) => {
      await client.$executeRaw`SELECT pg_advisory_xact_lock(${DISPATCH_LOCK})`;
      await this.endTooLate(client);
      await dropExpired(client);
      const waiting = await this.waiting(client);
      const chosen = waiting.length > 0 ? await this.claim(client, waiting) : { claimed: [], displaced: [] };
      return { ...chosen, ...(await nextDue(client)) };
    });
  }

  private async waiting(client: Transaction): Promise<WaitingRow[]> {
    const rows = await client.$queryRaw<WaitingRow[]>`
      SELECT id, exclusive, background, priority,
        (extract(epoch FROM now() - greatest(created_at, coalesce(not_before, created_at))) * 1000)::float8 AS ready_ms
      FROM leg WHERE (state = 'queued' OR (state = 'running' AND background)) AND fence IS NULL AND (not_before IS NULL OR not_before <= now())
      ORDER BY priority DESC, created_at, run_id, index LIMIT ${MAX_WAITING}`;
    const unread = rows.filter((row) => !this.paths.has(row.id)).map((row) => row.id);
    if (this.paths.size > 4 * MAX_WAITING) this.paths.clear();
    if (unread.length > 0) {
      const documents = await client.leg.findMany({
        where: { id: { in: unread } },
        select: { id: true, runId: true, index: true, pathDocument: true },
      });
      for (const { pathDocument, ...leg } of documents) {
        const path = LegPath.safeParse(pathDocument);
        if (path.success) this.paths.set(leg.id, path.data);
        else await this.endUnreadable(client, leg);
      }
    }
    return rows;
  }

  private async claim(client: Transaction, rows: readonly WaitingRow[]): Promise<Omit<Pass, 'nextInMs'>> {
    const heldRows = await client.$queryRaw<HeldRow[]>`
      SELECT resource, lower(span) AS lower, upper(span) AS upper, leg_id,
        leg.background AND leg.state IN ('queued', 'running') AS yields
      FROM claim JOIN leg ON leg.id = claim.leg_id`;
    const held: Held = new Map();
    for (const row of heldRows) if (!row.yields) hold(held, row);
    const yielding = heldRows.filter((row) => row.yields).map((row) => ({ ...row, legId: row.leg_id }));
    const interfaces = await this.interfaces(client, rows, heldRows);
    const nowMs = Date.now();
    const waiting = rows.flatMap((row): WaitingLeg[] => {
      const path = this.paths.get(row.id);
      if (!path) return [];
      const wants = wantsOf(path, row.exclusive, (probe) => interfaces.get(probe) ?? []);
      const { id, exclusive, background, priority } = row;
      return [{ id, exclusive, background, priority, readySinceMs: nowMs - row.ready_ms, wants }];
    });
    const chosen = chooseLegs(waiting, held, nowMs, PATIENCE, yielding);
    if (chosen.length === 0) return { claimed: [], displaced: [] };
    const displaced = [...new Set(chosen.flatMap(({ displaces }) => displaces))];
    await giveWay(client, displaced);
    const fences = await this.insert(client, chosen);
    for (const { id } of chosen) this.paths.delete(id);
    const waited = new Map(rows.map((row) => [row.id, row.ready_ms]));
    const claimed = [...fences].map(([id, fence]) => ({ id, fence, waitedMs: waited.get(id) ?? 0 }));
    return { claimed, displaced };
  }

  /** One fence a leg, in the order in which they were chosen, and all claims in one statement. */
  private async insert(client: Transaction, chosen: readonly Chosen[]): Promise<Map<string, bigint>> {
    const rows = await client.$queryRaw<{ id: string; fence: bigint }[]>`
      UPDATE leg SET fence = new.fence, claimed_at = now() FROM (
        SELECT id, nextval('fence_seq') AS fence
        FROM unnest(${chosen.map((leg) => leg.id)}::uuid[]) WITH ORDINALITY AS chosen (id, ord) ORDER BY ord
      ) AS new WHERE leg.id = new.id AND leg.state IN ('queued', 'running') AND leg.fence IS NULL RETURNING leg.id, leg.fence`;
    const fences = new Map(rows.map((row) => [row.id, row.fence]));
    const claims = chosen.flatMap((leg) =>
      leg.claims.map((claim) => ({ ...claim, leg: leg.id, fence: fences.get(leg.id) })),
    );
    const ours = claims.filter((claim) => claim.fence !== undefined);
    await client.$executeRaw`
      INSERT INTO claim (id, leg_id, resource, span, fence, expires_at)
      SELECT gen_random_uuid(), new.leg, new.resource, int8range(new.lower, new.upper), new.fence,
        now() + ${TIMING.claimMs} * interval '1 millisecond'
      FROM unnest(
        ${ours.map((c) => c.leg)}::uuid[], ${ours.map((c) => c.resource)}::text[], ${ours.map((c) => c.lower)}::bigint[],
        ${ours.map((c) => c.upper)}::bigint[], ${ours.map((c) => c.fence)}::bigint[]
      ) AS new (leg, resource, lower, upper, fence)`;
    return fences;
  }

  /** Interfaces of the probes that some leg wants whole: those that are registered, and those that running legs hold. */
  private async interfaces(
    client: Transaction,
    rows: readonly WaitingRow[],
    held: readonly HeldRow[],
  ): Promise<Map<string, Set<string>>> {
    const whole = new Set<string>();
    for (const { id } of rows) {
      const path = this.paths.get(id);
      for (const end of path ? [path.source, path.destination] : [])
        if (end.interface === undefined) whole.add(end.probe);
    }
    const found = new Map([...whole].map((probe) => [probe, new Set<string>()]));
    if (whole.size === 0) return found;
    const probes = await client.probe.findMany({
      where: { name: { in: [...whole] } },
      select: { name: true, endpoints: true },
    });
    for (const { name, endpoints } of probes) {
      const parsed = z.array(Endpoint).safeParse(endpoints);
      for (const endpoint of parsed.data ?? []) if (endpoint.interface) found.get(name)?.add(endpoint.interface);
    }
    for (const { resource } of held) {
      const [kind, probe, part, name] = resource.split('/');
      if (kind === 'probe' && part === 'if' && probe && name) found.get(probe)?.add(name);
    }
    return found;
  }

  /** A leg that cannot be read would hold up all others: it ends instead. */
  private async endUnreadable(client: Transaction, leg: LegKey): Promise<void> {
    const ending = { state: 'failed', reason: 'internal-error', detail: 'Its path could not be read.' } as const;
    await recordLegEnd(client, this.events, leg, ending, { rest: { state: 'skipped', reason: 'internal-error' } });
  }

  private async endTooLate(client: Transaction): Promise<void> {
    const late = await client.$queryRaw<LegKey[]>`
      SELECT id, run_id AS "runId", index FROM leg
      WHERE state = 'queued' AND owner IS NULL AND not_after < now() ORDER BY id LIMIT 100 FOR UPDATE`;
    for (const leg of late) {
      const ending = { state: 'failed', reason: 'not-started-in-time' } as const;
      await recordLegEnd(client, this.events, leg, ending, {
        rest: { state: 'skipped', reason: 'not-started-in-time' },
      });
    }
  }
}

/** Takes claims, fence and owner from background legs: whoever walks them can write nothing more, and they wait again. */
async function giveWay(client: Transaction, legIds: readonly string[]): Promise<void> {
  if (legIds.length === 0) return;
  await client.$executeRaw`
    UPDATE leg SET fence = NULL, claimed_at = NULL, owner = NULL, owner_epoch = owner_epoch + 1
    WHERE id = ANY(${legIds}::uuid[])`;
  await client.$executeRaw`DELETE FROM claim WHERE leg_id = ANY(${legIds}::uuid[])`;
}

/**
 * Claims of legs that have ended are kept only where an attempt might still send; when they expire, its longest duration is
 * over and the probe has ended it. Claims of legs that have not ended are never dropped: their owner goes on with them.
 */
async function dropExpired(client: Transaction): Promise<void> {
  await client.$executeRaw`
    DELETE FROM claim USING leg
    WHERE claim.leg_id = leg.id AND claim.expires_at < now() AND leg.state IN ('succeeded', 'failed', 'cancelled')`;
}

async function nextDue(client: Transaction): Promise<{ nextInMs?: number }> {
  const rows = await client.$queryRaw<{ due_ms: number | null }[]>`
    SELECT (extract(epoch FROM least(
      (SELECT min(not_before) FROM leg WHERE state = 'queued' AND fence IS NULL AND not_before > now()),
      (SELECT min(not_after) FROM leg WHERE state = 'queued' AND owner IS NULL AND not_after > now()),
      (SELECT min(expires_at) FROM claim JOIN leg ON leg.id = claim.leg_id
        WHERE leg.state IN ('succeeded', 'failed', 'cancelled'))
    ) - now()) * 1000)::float8 AS due_ms`;
  const dueMs = rows[0]?.due_ms;
  return dueMs === null || dueMs === undefined ? {} : { nextInMs: Math.max(0, dueMs) };
}
