import { Injectable, Logger } from '@nestjs/common';
import { ended } from '@plumbline/model';
import { PostgresArtifactStore } from '../../persistence/postgres-artifact-store.js';
import { Catalogue } from '../catalogue.js';
import { Drain } from '../drain.js';
import { ExecutionMetrics } from '../execution-metrics.js';
import { LeaseLost } from '../leg/lease.js';
import { Inventories } from '../probes/inventories.js';
import { ProbeConnections } from '../probes/probe-connections.js';
import { AttemptCourse, type AttemptResult } from './attempt-course.js';
import { AttemptRecords } from './attempt-records.js';
import { type AttemptTask, Cause, ENDS } from './attempt-task.js';
import { Consents } from './consent.js';
import { Pursuit } from './pursuit.js';
import { Series } from './series.js';
import { AttemptSnapshots } from './snapshots.js';

/** Carries out attempts; goes on with those that another owner began. */
@Injectable()
export class AttemptRunner {
  private readonly log = new Logger('Attempt');

  constructor(
    readonly catalogue: Catalogue,
    readonly connections: ProbeConnections,
    readonly inventories: Inventories,
    readonly consents: Consents,
    readonly snapshots: AttemptSnapshots,
    readonly records: AttemptRecords,
    readonly series: Series,
    readonly store: PostgresArtifactStore,
    readonly metrics: ExecutionMetrics,
    readonly pursuit: Pursuit,
    readonly drain: Drain,
  ) {}

  /**
   * From the attempt's row to its result. A mistake of ours ends it too: internal-error, with the particulars in the log.
   * @throws {LeaseLost} when the leg is somebody else's, or this process stops: the attempt goes on at the probes
   */
  async run(task: AttemptTask): Promise<AttemptResult> {
    const cause = new Cause();
    const onCancel = (): void => cause.set(ended('cancelled-by-user'));
    if (task.lease.cancelled.aborted) onCancel();
    task.lease.cancelled.addEventListener('abort', onCancel, { once: true });
    try {
      return await new AttemptCourse(this, task, cause).run();
    } catch (error) {
      if (error instanceof LeaseLost || task.lease.over.aborted) throw new LeaseLost(task.leg.id);
      this.log.error(`attempt ${task.id} of leg ${task.leg.id} broke off`, error);
      cause.set(ended('internal-error'));
      await this.records.fail(task, ended('internal-error'));
      this.pursuit.begin(task, 'internal-error', ENDS);
      return { ending: ended('internal-error'), unconfirmed: [task.near.name, task.far.name] };
    } finally {
      task.lease.cancelled.removeEventListener('abort', onCancel);
    }
  }
}
