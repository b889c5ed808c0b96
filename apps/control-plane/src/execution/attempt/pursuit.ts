import { Injectable } from '@nestjs/common';
import type { End, Reason } from '@plumbline/model';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { Signals } from '../../persistence/seams.js';
import { ProbeConnections } from '../probes/probe-connections.js';
import type { ProbeTarget } from '../probes/probe-facts.js';
import { TIMING } from '../timing.js';
import type { AttemptTask } from './attempt-task.js';
import { pause } from './waiting.js';

/**
 * Tells probes that were away to end an attempt as soon as they are back, and gives its claims back then. A process that dies
 * meanwhile loses nothing but time: the sweep of ProbeHealth finds such attempts, and probes enforce their longest duration.
 */
@Injectable()
export class Pursuit {
  private readonly pending = new Set<string>();
  private closed = false;

  constructor(
    private readonly connections: ProbeConnections,
    private readonly database: PostgresDatabase,
    private readonly signals: Signals,
  ) {}

  /** In the background, for those ends of an attempt whose probes never said that nothing of it runs there. */
  begin(task: AttemptTask, reason: Reason, ends: readonly End[]): void {
    for (const probe of new Map(ends.map((end) => [task[end].name, task[end]])).values()) {
      this.pending.add(keyOf(task.leg.id, probe.name));
      void this.pursue(task, reason, probe);
    }
  }

  /** Whether something of the leg may still run at a probe. */
  isPending(legId: string, probe: string): boolean {
    return this.pending.has(keyOf(legId, probe));
  }

  close(): void {
    this.closed = true;
  }

  private async pursue(task: AttemptTask, reason: Reason, probe: ProbeTarget): Promise<void> {
    const legId = task.leg.id;
    const until = performance.now() + task.prepared.longestDurationMs;
    // Ends: when the probe has answered, when it must have ended the attempt by itself, or with this process.
    while (!this.closed && performance.now() < until) {
      if (await this.stop(task.id, reason, probe)) {
        this.pending.delete(keyOf(legId, probe.name));
        await this.release(legId, probe.name).catch(() => undefined);
        return;
      }
      await pause(TIMING.pursueMs);
    }
    this.pending.delete(keyOf(legId, probe.name));
  }

  private async stop(attemptId: string, reason: Reason, probe: ProbeTarget): Promise<boolean> {
    try {
      const connection = await this.connections.to(probe);
      await connection.stop({ attemptId, reason }, { deadlineMs: TIMING.stopMs });
      connection.acknowledge({ attemptId }, { deadlineMs: TIMING.stopMs }).catch(() => undefined);
      return true;
    } catch {
      return false;
    }
  }

  /** The claims that the leg's end has kept for this probe; those on links with the last of its probes. */
  private async release(legId: string, probe: string): Promise<void> {
    const last = ![...this.pending].some((key) => key.startsWith(keyOf(legId, '')));
    const resources = [`probe/${probe}`, `probe/${probe}/%`, ...(last ? ['link/%'] : [])];
    const released = await this.database.client.$executeRaw`
      DELETE FROM claim USING leg WHERE claim.leg_id = leg.id AND leg.id = ${legId}::uuid
        AND leg.state IN ('succeeded', 'failed', 'cancelled') AND claim.resource LIKE ANY (${resources}::text[])`;
    // Nobody's name: every replica looks, this one too.
    if (released > 0) await this.signals.notify('dispatch', '');
  }
}

const keyOf = (legId: string, probe: string): string => `${legId} ${probe}`;
