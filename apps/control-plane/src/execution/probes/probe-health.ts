import { Injectable, Logger } from '@nestjs/common';
import type { ProbeState } from '@plumbline/model';
import { ProbeCallError } from '@plumbline/probe-rpc';
import type { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { storableJsonText, storableText } from '../../persistence/storable-json.js';
import { TIMING } from '../timing.js';
import { Inventories } from './inventories.js';
import { ProbeConnections } from './probe-connections.js';
import type { ProbeFacts, ProbeTarget } from './probe-facts.js';

/** How many probes are asked at once. */
const AT_ONCE = 16;

/** Asks every probe again and again how it is, and clears away what lies at probes and is over. */
@Injectable()
export class ProbeHealth {
  private readonly log = new Logger('Probes');
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private sweptAtMs = 0;

  constructor(
    private readonly database: PostgresDatabase,
    private readonly connections: ProbeConnections,
    private readonly inventories: Inventories,
  ) {}

  start(): void {
    void this.round();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** One round over all probes. Ends: every call has a deadline. */
  private async round(): Promise<void> {
    try {
      const probes = await this.database.client.probe.findMany({
        select: { name: true, address: true, enrolled: true },
      });
      const sweep = performance.now() - this.sweptAtMs > TIMING.sweepMs || this.sweptAtMs === 0;
      if (sweep) this.sweptAtMs = performance.now();
      const waiting = [...probes];
      const ask = async (): Promise<void> => {
        for (let probe = waiting.shift(); probe && !this.closed; probe = waiting.shift())
          await this.check(probe, sweep);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, ask));
    } catch {
      // Postgres is away; the next round comes.
    }
    if (!this.closed) this.timer = setTimeout(() => void this.round(), TIMING.healthMs);
  }

  private async check(probe: ProbeTarget, sweep: boolean): Promise<void> {
    try {
      const facts = await this.inventories.ask(probe, { deadlineMs: TIMING.snapshotMs });
      await this.recordUp(probe, facts);
      if (sweep) await this.sweep(probe);
    } catch (error) {
      if (error instanceof ProbeCallError) await this.recordAway(probe, error).catch(() => undefined);
    }
  }

  private async recordUp({ name }: ProbeTarget, facts: ProbeFacts): Promise<void> {
    const { report, clock, publicKey, bootId, specKinds } = facts;
    const inventory = { ...report, publicKey, bootId, specKinds, clockErrorMs: clock.errorMs };
    await this.database.client.$executeRaw`
      UPDATE probe SET state = 'up', reason = NULL, version = ${storableText(report.version)}, last_seen_at = now(),
        clock_offset_ms = ${clock.offsetMs}, inventory = ${storableJsonText(inventory)}::jsonb WHERE name = ${name}`;
  }

  private async recordAway({ name }: ProbeTarget, error: ProbeCallError): Promise<void> {
    const state: z.output<typeof ProbeState> = error.problem === 'incompatible' ? 'incompatible' : 'down';
    await this.database.client.$executeRaw`
      UPDATE probe SET state = ${state}, reason = ${storableText(error.message)} WHERE name = ${name}`;
  }

  /**
   * What lies at a probe of attempts that have ended here is stopped and forgotten: an Acknowledge or a Stop may have been
   * lost. Attempts that are not in this database are somebody else's.
   */
  private async sweep(probe: ProbeTarget): Promise<void> {
    const connection = await this.connections.to(probe);
    const { attempts } = await connection.listAttempts({ deadlineMs: TIMING.snapshotMs });
    const ids = attempts.map((attempt) => attempt.attemptId).filter((id) => UUID.test(id));
    if (ids.length === 0) return;
    const over = await this.database.client.attempt.findMany({
      where: { id: { in: ids }, outcome: { not: null } },
      select: { id: true },
    });
    for (const { id } of over) {
      if (attempts.some((attempt) => attempt.attemptId === id && attempt.running)) {
        this.log.warn(`attempt ${id} has ended and still runs at probe ${probe.name}; it is stopped`);
        await connection.stop({ attemptId: id, reason: 'interrupted' }, { deadlineMs: TIMING.stopMs });
      }
      await connection.acknowledge({ attemptId: id }, { deadlineMs: TIMING.stopMs });
    }
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
