import { Injectable } from '@nestjs/common';
import { type AttemptOutput, type PhaseOutput, parseSampleArtifact } from '@plumbline/measure';
import { type Artifact, Command, type End, type Ending, HostSnapshot, SocketSample } from '@plumbline/model';
import { z } from 'zod';
import { PostgresDatabase } from '../../persistence/postgres-database.js';
import { ArtifactStore } from '../../persistence/seams.js';
import { ENDS } from '../attempt/attempt-task.js';
import { artifactName } from '../attempt/end-record.js';

/** What an attempt left, put together from what is stored, and what was noted on the way that no parser says. */
export interface StoredOutput {
  readonly output: AttemptOutput;
  readonly notes: readonly string[];
}

/** Of the attempt's row. */
export interface StoredAttempt {
  readonly id: string;
  readonly commands: unknown;
}

/** Gives parsers the stored bytes of an attempt, as they got them when it ended. */
@Injectable()
export class StoredOutputs {
  constructor(
    private readonly database: PostgresDatabase,
    private readonly store: ArtifactStore,
  ) {}

  /** @returns undefined when none of its programs left anything */
  async of(attempt: StoredAttempt, ending: Ending): Promise<StoredOutput | undefined> {
    const artifacts = await this.store.list(attempt.id);
    const printed = artifacts.filter(({ stream }) => stream !== 'facts');
    if (printed.length === 0) return undefined;
    const commands = z.array(Command).parse(attempt.commands);
    const phases = await Promise.all(commands.map((command) => this.phaseOf(attempt.id, command, printed)));
    const sampled = await this.samplesOf(attempt.id, printed);
    const snapshots = await this.snapshotsOf(attempt.id);
    return { output: { phases, samples: sampled.samples, snapshots, ending }, notes: sampled.notes };
  }

  private async phaseOf(id: string, command: Command, artifacts: readonly Artifact[]): Promise<PhaseOutput> {
    const { end, phase, tool, argv, exitCode, signal, startedAt, endedAt } = command;
    const bytesOf = async (stream: Artifact['stream']): Promise<Buffer | undefined> => {
      const name = artifactName(end, phase, tool, stream);
      return artifacts.some((artifact) => artifact.name === name) ? this.bytesOf(id, name) : undefined;
    };
    const [stdout, stderr, capture] = await Promise.all([bytesOf('stdout'), bytesOf('stderr'), bytesOf('capture')]);
    return {
      ...{ end, name: phase, tool, argv, exitCode, signal },
      stdout: stdout?.toString('utf8') ?? '',
      stderr: stderr?.toString('utf8') ?? '',
      ...(capture ? { capture } : {}),
      ...(startedAt && endedAt ? { durationMs: Date.parse(endedAt) - Date.parse(startedAt) } : {}),
    };
  }

  /** From the bytes that ss printed; where an end's are missing (its probe was lost), what was stored while it ran. */
  private async samplesOf(id: string, artifacts: readonly Artifact[]): Promise<ReturnType<typeof parseSampleArtifact>> {
    const samples: SocketSample[] = [];
    const notes: string[] = [];
    for (const end of ENDS) {
      const own = artifacts.filter((artifact) => artifact.end === end && artifact.stream === 'samples');
      for (const { name } of own) {
        const read = parseSampleArtifact((await this.bytesOf(id, name)).toString('utf8'), end);
        samples.push(...read.samples);
        notes.push(...read.notes);
      }
      if (own.length === 0) samples.push(...(await this.rowsOf(id, end)));
    }
    return { samples, notes };
  }

  private async rowsOf(attemptId: string, end: End): Promise<SocketSample[]> {
    const rows = await this.database.client.sample.findMany({ where: { attemptId, end }, orderBy: { id: 'asc' } });
    return rows.flatMap(({ document }) => SocketSample.safeParse(document).data ?? []);
  }

  private async snapshotsOf(attemptId: string): Promise<AttemptOutput['snapshots']> {
    const rows = await this.database.client.snapshot.findMany({ where: { attemptId, moment: 'before' } });
    return Object.fromEntries(
      rows.flatMap((row) => {
        const snapshot = HostSnapshot.safeParse(row.document);
        return snapshot.success ? [[row.end, snapshot.data]] : [];
      }),
    );
  }

  private async bytesOf(id: string, name: string): Promise<Buffer> {
    const found = await this.store.open(id, name);
    const chunks: Buffer[] = [];
    // Ends with the artifact, which has 64 MiB at most.
    for await (const chunk of found?.body ?? []) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  }
}
