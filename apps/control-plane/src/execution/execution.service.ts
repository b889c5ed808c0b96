import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Advice, Rediagnosis, Reparse } from '@plumbline/model';
import { PostgresDatabase } from '../persistence/postgres-database.js';
import { PostgresRunEvents } from '../persistence/postgres-run-events.js';
import { Execution, Settings, Signals } from '../persistence/seams.js';
import { Pursuit } from './attempt/pursuit.js';
import { RunningAttempts } from './attempt/running-attempts.js';
import { Diagnoser } from './diagnosis/diagnoser.js';
import { Rediagnoser } from './diagnosis/rediagnoser.js';
import { Drain } from './drain.js';
import { recordAttemptsCancelled, recordLegEnd } from './leg/leg-records.js';
import { LegWalker } from './leg/leg-walker.js';
import { Ownership } from './leg/ownership.js';
import { ProbeHealth } from './probes/probe-health.js';
import { AdvanceQueue } from './queue/advance-queue.js';
import { Dispatcher } from './queue/dispatcher.js';
import { Reparser } from './reparse/reparser.js';
import { TIMING } from './timing.js';

/** The execution side as a whole: starts and stops its parts, and does what the HTTP side asks for. */
@Injectable()
export class ExecutionService extends Execution implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Execution');

  constructor(
    private readonly database: PostgresDatabase,
    private readonly events: PostgresRunEvents,
    private readonly signals: Signals,
    private readonly settings: Settings,
    private readonly ownership: Ownership,
    private readonly walker: LegWalker,
    private readonly queue: AdvanceQueue,
    private readonly dispatcher: Dispatcher,
    private readonly health: ProbeHealth,
    private readonly pursuit: Pursuit,
    private readonly draining: Drain,
    private readonly reparser: Reparser,
    private readonly rediagnoser: Rediagnoser,
    private readonly diagnoser: Diagnoser,
    private readonly attempts: RunningAttempts,
  ) {
    super();
  }

  /** @throws {Error} when Redis would evict jobs */
  async onApplicationBootstrap(): Promise<void> {
    this.ownership.start();
    this.queue.start(
      async (legId) => {
        if (await this.walker.advance(legId)) await this.poke();
      },
      () => void this.dispatcher.reconcile(),
    );
    await this.queue.refuseEviction();
    this.dispatcher.start();
    this.health.start();
  }

  drain(): void {
    this.draining.begin();
  }

  /** First nothing new is begun, then what runs is let go of; tests are not waited for. */
  async onModuleDestroy(): Promise<void> {
    this.draining.begin();
    this.health.close();
    this.pursuit.close();
    await this.dispatcher.close();
    await this.ownership.close();
    await this.queue.close();
  }

  reparse(attemptId: string, options: { readonly store: boolean }): Promise<Reparse> {
    return this.reparser.reparse(attemptId, options);
  }

  rediagnose(runId: string, options: { readonly store: boolean }): Promise<Rediagnosis> {
    return this.rediagnoser.rediagnose(runId, options);
  }

  advise(legId: string): Promise<Advice | undefined> {
    return this.diagnoser.advise(legId);
  }

  async poke(): Promise<void> {
    this.dispatcher.look();
    await this.signals.notify('dispatch', this.settings.replica).catch((error: unknown) => {
      this.log.warn(`other replicas were not told of new legs; they look by themselves (${error})`);
    });
  }

  async cancelRun(runId: string): Promise<void> {
    await this.database.retrying(
      'cancel a run',
      (client) => client.$executeRaw`
      UPDATE run SET cancel_requested_at = coalesce(cancel_requested_at, now())
      WHERE id = ${runId}::uuid AND state IN ('queued', 'running')`,
    );
    await this.signals.notify('cancel', runId).catch(() => undefined);
    await Promise.all([this.attempts.stop({ runId }, 'cancelled-by-user'), this.endWaitingLegs(runId)]);
    await this.poke();
  }

  private async endWaitingLegs(runId: string): Promise<void> {
    const legs = await this.database.retrying('find waiting legs', (client) =>
      client.leg.findMany({
        where: { runId, OR: [{ state: 'queued' }, { state: 'running', background: true, fence: null }] },
        select: { id: true, runId: true, index: true },
      }),
    );
    for (const leg of legs) {
      await this.database.transaction('cancel a waiting leg', async (client) => {
        const waiting = await client.$queryRaw<unknown[]>`
          SELECT 1 FROM leg WHERE id = ${leg.id}::uuid AND (state = 'queued' OR fence IS NULL)
            AND (owner IS NULL OR owner_seen_at < now() - ${TIMING.ownerStaleMs} * interval '1 millisecond')
          FOR NO KEY UPDATE`;
        if (waiting.length === 0) return;
        const rest = { state: 'cancelled', reason: 'run-cancelled' } as const;
        await recordAttemptsCancelled(client, this.events, leg);
        await recordLegEnd(client, this.events, leg, rest, { rest });
      });
    }
  }
}
