import { Injectable } from '@nestjs/common';
import type { Reason } from '@plumbline/model';
import { LegPath } from '../../persistence/leg-path.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { ProbeConnections } from '../probes/probe-connections.js';
import { TIMING } from '../timing.js';

/** Attempts that may run at probes, whoever walks their legs. */
@Injectable()
export class RunningAttempts {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly connections: ProbeConnections,
  ) {}

  /** Both probes of each are told directly: it ends also when no worker lives to do so. */
  async stop(of: { runId: string } | { legIds: readonly string[] }, reason: Reason): Promise<void> {
    const leg = 'runId' in of ? { runId: of.runId } : { id: { in: [...of.legIds] } };
    const running = await this.database.retrying('find running attempts', (client) =>
      client.attempt.findMany({
        where: { outcome: null, step: { leg } },
        select: { id: true, step: { select: { leg: { select: { pathDocument: true } } } } },
      }),
    );
    if (running.length === 0) return;
    const probes = await this.database.client.probe.findMany({ select: { name: true, address: true, enrolled: true } });
    const stops = running.flatMap(({ id, step }) =>
      probesIn(step.leg.pathDocument).map(async (name) => {
        const probe = probes.find((one) => one.name === name);
        if (!probe) return;
        const connection = await this.connections.to(probe);
        await connection.stop({ attemptId: id, reason }, { deadlineMs: TIMING.stopMs });
      }),
    );
    await Promise.allSettled(stops);
  }
}

function probesIn(pathDocument: unknown): string[] {
  const path = LegPath.safeParse(pathDocument);
  return path.success ? [...new Set([path.data.source.probe, path.data.destination.probe])] : [];
}
