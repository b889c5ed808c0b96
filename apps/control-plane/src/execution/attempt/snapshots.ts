import { Injectable, Logger } from '@nestjs/common';
import { counterMovement } from '@plumbline/measure';
import type { End, HostSnapshot } from '@plumbline/model';
import { HostSnapshot as HostSnapshotSchema } from '@plumbline/model';
import { PostgresArtifactStore } from '../../persistence/postgres-artifact-store.js';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { LeaseLost } from '../leg/lease.js';
import { GrpcProbeDirectory } from '../probes/grpc-probe-directory.js';
import { AttemptRecords, type Moment } from './attempt-records.js';
import { type AttemptTask, ENDS, endpointOf, peerOf, targetOf } from './attempt-task.js';
import { artifactName } from './end-record.js';

export type Snapshots = Partial<Record<End, HostSnapshot>>;

export interface TakeOptions {
  readonly ends: readonly End[];
  readonly into: Snapshots;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  /** Programs that read facts are started no sooner than this; absent: at once. */
  readonly later?: Promise<void>;
}

/** Facts of both hosts around an attempt: parsed for the record, and raw as an artifact. Their absence never fails a test. */
@Injectable()
export class AttemptSnapshots {
  private readonly log = new Logger('Snapshots');

  constructor(
    private readonly database: PostgresDatabase,
    private readonly probes: GrpcProbeDirectory,
    private readonly store: PostgresArtifactStore,
    private readonly records: AttemptRecords,
  ) {}

  /**
   * Takes the snapshots of some ends at once. `into` gets each as soon as it is there; `read` ends when all are or are known to
   * be missing, `stored` when they are in Postgres.
   * @param note what could not be taken, for the record
   */
  take(task: AttemptTask, moment: Moment, options: TakeOptions): { read: Promise<void>; stored: Promise<void> } {
    const { ends, into, signal, note, later } = options;
    const read = ends.map(async (end) => {
      try {
        const [probe, { endpoint }] = [targetOf(task, end), endpointOf(task, end)];
        const { address } = peerOf(task, end);
        const one = await (later
          ? this.probes.takeSnapshotInParts(probe, endpoint, address, later, signal)
          : this.probes.takeSnapshot(probe, endpoint, address, signal));
        into[end] = one.snapshot;
        return { end, ...one };
      } catch (error) {
        if (!signal.aborted) note(`${end} snapshot ${moment}: ${error instanceof Error ? error.message : error}`);
        return undefined;
      }
    });
    const stored = read.map(async (reading) => {
      const one = await reading;
      if (one) await this.keep(task, one.end, moment, one.snapshot, JSON.stringify(one.facts));
    });
    return { read: Promise.all(read).then(() => undefined), stored: Promise.all(stored).then(() => undefined) };
  }

  /** What an earlier owner of the attempt has stored. */
  async before(task: AttemptTask): Promise<Snapshots> {
    const rows = await this.database.client.snapshot.findMany({ where: { attemptId: task.id, moment: 'before' } });
    return Object.fromEntries(
      rows.flatMap((row) => {
        const snapshot = HostSnapshotSchema.safeParse(row.document);
        return snapshot.success ? [[row.end, snapshot.data]] : [];
      }),
    );
  }

  /** Stores how far the counters of both ends moved. */
  async keepMovement(task: AttemptTask, before: Snapshots, after: Snapshots): Promise<void> {
    try {
      const counters = Object.fromEntries(ENDS.map((end) => [end, counterMovement(before[end], after[end])]));
      await this.records.counters(task, counters);
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.log.warn(`counters of attempt ${task.id} were not stored: ${error}`);
    }
  }

  private async keep(task: AttemptTask, end: End, moment: Moment, snapshot: HostSnapshot, raw: string): Promise<void> {
    try {
      const bytes = await this.store.putBytes(Buffer.from(raw));
      await this.records.snapshot(task, end, moment, snapshot, {
        name: artifactName(end, moment, 'snapshot', 'facts'),
        end,
        tool: 'snapshot',
        stream: 'facts',
        mediaType: 'application/json',
        ...bytes,
      });
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.log.warn(`a snapshot of attempt ${task.id} was not stored: ${error}`);
    }
  }
}
