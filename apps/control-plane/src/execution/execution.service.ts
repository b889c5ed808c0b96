import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LegPath } from '../persistence/leg-path.js';
import { PostgresDatabase } from '../persistence/postgres-database.js';
import { PostgresRunEvents } from '../persistence/postgres-run-events.js';
import { Execution, Settings, Signals } from '../persistence/seams.js';
import { Pursuit } from './attempt/pursuit.js';
import { Drain } from './drain.js';
import { recordLegEnd } from './leg/leg-records.js';
import { LegWalker } from './leg/leg-walker.js';
import { Ownership } from './leg/ownership.js';
import { ProbeConnections } from './probes/probe-connections.js';
import { ProbeHealth } from './probes/probe-health.js';
import { AdvanceQueue } from './queue/advance-queue.js';
import { Dispatcher } from './queue/dispatcher.js';
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
    private readonly connections: ProbeConnections,
    private readonly health: ProbeHealth,
    private readonly pursuit: Pursuit,
    private readonly draining: Drain,
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
    await Promise.all([this.stopAttempts(runId), this.endWaitingLegs(runId)]);
    await this.poke();
  }

  /** Both probes of every attempt that runs are told directly: it ends also when no worker lives to do so. */
  private async stopAttempts(runId: string): Promise<void> {
    const running = await this.database.retrying('find running attempts', (client) =>
      client.attempt.findMany({
        where: { outcome: null, step: { leg: { runId } } },
        select: { id: true, step: { select: { leg: { select: { pathDocument: true } } } } },
      }),
    );
    const probes = await this.database.client.probe.findMany({ select: { name: true, address: true, enrolled: true } });
    const stops = running.flatMap(({ id, step }) =>
      probesIn(step.leg.pathDocument).map(async (name) => {
        const probe = probes.find((one) => one.name === name);
        if (!probe) return;
        const connection = await this.connections.to(probe);
        await connection.stop({ attemptId: id, reason: 'cancelled-by-user' }, { deadlineMs: TIMING.stopMs });
      }),
    );
    await Promise.allSettled(stops);
  }

  private async endWaitingLegs(runId: string): Promise<void> {
    const legs = await this.database.retrying('find waiting legs', (client) =>
      client.leg.findMany({ where: { runId, state: 'queued' }, select: { id: true, runId: true, index: true } }),
    );
    for (const leg of legs) {
      await this.database.transaction('cancel a waiting leg', async (client) => {
        const waiting = await client.$queryRaw<unknown[]>`
          SELECT 1 FROM leg WHERE id = ${leg.id}::uuid AND state = 'queued'
            AND (owner IS NULL OR owner_seen_at < now() - ${TIMING.ownerStaleMs} * interval '1 millisecond')
          FOR NO KEY UPDATE`;
        if (waiting.length === 0) return;
        const rest = { state: 'cancelled', reason: 'run-cancelled' } as const;
        await recordLegEnd(client, this.events, leg, rest, { rest });
      });
    }
  }
}

function probesIn(pathDocument: unknown): string[] {
  const path = LegPath.safeParse(pathDocument);
  return path.success ? [...new Set([path.data.source.probe, path.data.destination.probe])] : [];
}
