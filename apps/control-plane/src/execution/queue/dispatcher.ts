import { Injectable, Logger } from '@nestjs/common';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { Settings, Signals } from '../../persistence/seams.js';
import { RunningAttempts } from '../attempt/running-attempts.js';
import { Claims } from '../claims/claims.js';
import { Drain } from '../drain.js';
import { ExecutionMetrics } from '../execution-metrics.js';
import { TIMING } from '../timing.js';
import { AdvanceQueue, type OfferedLeg } from './advance-queue.js';

/** What a replica says on `dispatch` when it let go of its legs; otherwise it says its name: new legs, or room for more. */
export const RELEASED = 'released';

/**
 * Claims what can start and puts it into the queue: when it is told to, when something falls due, and every two seconds in
 * every replica, whatever happened to signals, Redis or another replica.
 */
@Injectable()
export class Dispatcher {
  private readonly log = new Logger('Dispatcher');
  private reconciling: NodeJS.Timeout | undefined;
  private due: NodeJS.Timeout | undefined;
  private stopListening: (() => void) | undefined;
  private running: Promise<void> | undefined;
  private again = false;
  private closed = false;

  constructor(
    private readonly database: PostgresDatabase,
    private readonly signals: Signals,
    private readonly settings: Settings,
    private readonly claims: Claims,
    private readonly queue: AdvanceQueue,
    private readonly metrics: ExecutionMetrics,
    private readonly drain: Drain,
    private readonly attempts: RunningAttempts,
  ) {}

  start(): void {
    this.stopListening = this.signals.listen('dispatch', (what) => {
      if (what === '' || what === RELEASED) void this.reconcile();
      else if (what !== this.settings.replica) this.look();
    });
    this.reconciling = setInterval(() => void this.reconcile(), TIMING.reconcileMs);
    void this.reconcile();
  }

  /** Looks for legs that can start, soon and in the background; asked for while it looks, it looks once more. */
  look(): void {
    this.again = true;
    this.running ??= this.passes().finally(() => {
      this.running = undefined;
      if (this.again && !this.over) this.look();
    });
  }

  /** A look, and every leg without a live owner into the queue again. */
  async reconcile(): Promise<void> {
    if (this.over) return;
    this.look();
    try {
      this.queue.offer(await this.withoutOwner());
    } catch {
      // Postgres is away; the next look is two seconds off.
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.reconciling);
    clearTimeout(this.due);
    this.stopListening?.();
    await this.running?.catch(() => undefined);
  }

  /** Nothing is claimed any more: this process stops, or is about to. */
  private get over(): boolean {
    return this.closed || this.drain.begun;
  }

  private async passes(): Promise<void> {
    // Ends: when nobody asked for another look during the last one, or at the first failure.
    while (this.again && !this.over) {
      this.again = false;
      try {
        const pass = await this.claims.claimFree();
        if (pass.displaced.length > 0) await this.attempts.stop({ legIds: pass.displaced }, 'superseded');
        this.queue.offer(pass.claimed);
        this.metrics.dispatched(pass.claimed.map((leg) => leg.waitedMs));
        this.wakeIn(pass.nextInMs);
      } catch (error) {
        this.again = false;
        if (!this.closed)
          this.log.error(`legs could not be dispatched: ${error instanceof Error ? error.message : error}`);
      }
    }
  }

  private wakeIn(ms: number | undefined): void {
    clearTimeout(this.due);
    if (ms === undefined || this.over || ms > 3_600_000) return;
    this.due = setTimeout(() => this.look(), Math.max(1, Math.ceil(ms)));
  }

  private withoutOwner(): Promise<OfferedLeg[]> {
    return this.database.client.$queryRaw<OfferedLeg[]>`
      SELECT id, fence FROM leg
      WHERE state IN ('queued', 'running') AND fence IS NOT NULL
        AND (owner IS NULL OR owner_seen_at IS NULL
          OR owner_seen_at < now() - ${TIMING.ownerStaleMs} * interval '1 millisecond')
      ORDER BY priority DESC, claimed_at LIMIT 1000`;
  }
}
