import { Injectable, Logger } from '@nestjs/common';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { Settings, Signals } from '../../persistence/seams.js';
import { Drain } from '../drain.js';
import { TIMING } from '../timing.js';
import { Lease } from './lease.js';

/** Which legs this process walks. Postgres says who owns a leg; an owner that is silent for 4 s has lost it. */
@Injectable()
export class Ownership {
  private readonly log = new Logger('Ownership');
  private readonly leases = new Map<string, Lease>();
  private readonly taking = new Set<string>();
  private beating = false;
  private timer: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;
  private closed = false;

  constructor(
    private readonly database: PostgresDatabase,
    private readonly settings: Settings,
    private readonly signals: Signals,
    private readonly drain: Drain,
  ) {}

  start(): void {
    this.stopListening = this.signals.listen('cancel', (runId) => {
      if (runId === '') void this.beat();
      else for (const lease of this.leases.values()) if (lease.runId === runId) lease.cancel();
    });
    this.timer = setInterval(() => void this.beat(), TIMING.heartbeatMs);
  }

  get count(): number {
    return this.leases.size;
  }

  /**
   * Takes a claimed leg that nobody walks: no owner, a silent one, or this process after a walk that broke off.
   * @returns undefined when somebody walks it, it has ended, or this process is about to stop
   */
  async take(legId: string): Promise<Lease | undefined> {
    if (this.closed || this.drain.begun || this.leases.has(legId) || this.taking.has(legId)) return undefined;
    this.taking.add(legId);
    try {
      return await this.takeNow(legId);
    } finally {
      this.taking.delete(legId);
    }
  }

  private async takeNow(legId: string): Promise<Lease | undefined> {
    const rows = await this.database.retrying(
      'take a leg',
      (client) => client.$queryRaw<{ epoch: number; run_id: string; fence: bigint }[]>`
        UPDATE leg SET owner = ${this.settings.replica}, owner_epoch = owner_epoch + 1, owner_seen_at = now()
        WHERE id = ${legId}::uuid AND state IN ('queued', 'running') AND fence IS NOT NULL
          AND (owner IS NULL OR owner = ${this.settings.replica}
            OR owner_seen_at < now() - ${TIMING.ownerStaleMs} * interval '1 millisecond')
        RETURNING owner_epoch AS epoch, run_id, fence`,
      5_000,
    );
    const row = rows[0];
    if (!row || this.closed) return undefined;
    const lease = new Lease(this.database, legId, row.run_id, row.fence, this.settings.replica, row.epoch);
    this.leases.set(legId, lease);
    return lease;
  }

  /** Gives a leg up: it has ended, or the next owner may take it at once. */
  async release(lease: Lease): Promise<void> {
    lease.end();
    if (this.leases.get(lease.legId) === lease) this.leases.delete(lease.legId);
    await this.database.client.$executeRaw`
      UPDATE leg SET owner = NULL WHERE id = ${lease.legId}::uuid
        AND owner = ${this.settings.replica} AND owner_epoch = ${lease.epoch}`.catch((error: unknown) => {
      this.log.warn(`leg ${lease.legId} was not released; it will be taken when its owner counts as silent (${error})`);
    });
  }

  /** Says that this process still walks its legs, and hears which of them were lost or cancelled. */
  private async beat(): Promise<void> {
    if (this.leases.size === 0 || this.closed || this.beating) return;
    this.beating = true;
    const before = [...this.leases.values()];
    try {
      const rows = await this.database.client.$queryRaw<{ id: string; epoch: number; cancelled: boolean }[]>`
        UPDATE leg SET owner_seen_at = now() FROM run
        WHERE leg.run_id = run.id AND leg.owner = ${this.settings.replica} AND leg.id = ANY(${before.map((l) => l.legId)}::uuid[])
        RETURNING leg.id, leg.owner_epoch AS epoch, run.cancel_requested_at IS NOT NULL AS cancelled`;
      const seen = new Map(rows.map((row) => [row.id, row]));
      for (const lease of before) {
        const row = seen.get(lease.legId);
        if (row?.epoch !== lease.epoch) lease.end();
        else if (row.cancelled) lease.cancel();
      }
    } catch {
      // Postgres is away: nobody else can take the legs either, and the next beat is a second away.
    } finally {
      this.beating = false;
    }
  }

  /** Lets go of everything without waiting for tests: they go on at the probes, and the next owner re-attaches. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    this.stopListening?.();
    for (const lease of this.leases.values()) lease.end();
    this.leases.clear();
    await this.database
      .retrying(
        'release all legs',
        (client) => client.$executeRaw`
        UPDATE leg SET owner = NULL WHERE owner = ${this.settings.replica}`,
        1_000,
      )
      .then(() => this.signals.notify('dispatch', 'released'))
      .catch(() => this.log.warn('legs were not released; they are taken when their owner counts as silent'));
  }
}
