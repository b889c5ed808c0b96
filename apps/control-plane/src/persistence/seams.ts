import type { Readable } from 'node:stream';
import type { Advice, Artifact, HostSnapshot, Probe, Rediagnosis, Reparse } from '@plumbline/model';
import type { Prisma, PrismaClient } from './generated/client.js';

/** Where the rooms of the control plane meet. Each is an abstract class, so that it is its own Nest injection token. */

/** What a running control plane was told at its start; read once, from options and environment. */
export abstract class Settings {
  abstract readonly databaseUrl: string;
  abstract readonly redisUrl: string;
  /** D: admin.token, ca/, probes/ (unix sockets of local probes). */
  abstract readonly dataDir: string;
  abstract readonly host: string;
  abstract readonly port: number;
  /** Unique to this process: names the owner of the legs that it walks. */
  abstract readonly replica: string;
}

/** The pool. Statements that fail because Postgres restarts are tried again by `retrying`, for at most `forMs` (default 30 s). */
export abstract class Database {
  abstract readonly client: PrismaClient;
  abstract retrying<T>(what: string, work: (client: PrismaClient) => Promise<T>, forMs?: number): Promise<T>;
}
export type Transaction = Prisma.TransactionClient;

/**
 * Postgres NOTIFY, so that every replica hears. What is sent while disconnected is lost: after a reconnect every handler is
 * called once with '' and looks again by itself. Payloads: `dispatch` the sender's replica, `run_event` and
 * `cancel` the run's id.
 */
export abstract class Signals {
  abstract notify(channel: 'dispatch' | 'run_event' | 'cancel', payload: string, client?: Transaction): Promise<void>;
  /** @returns a function that ends the subscription */
  abstract listen(channel: 'dispatch' | 'run_event' | 'cancel', handler: (payload: string) => void): () => void;
}

export type RunEventType = 'run' | 'leg' | 'step' | 'attempt' | 'sample' | 'log';
export interface RunEvent {
  readonly seq: number;
  readonly type: RunEventType;
  readonly at: string;
  readonly data: unknown;
}
/** The event log of a run: per-run integers from Postgres, any replica serves any run. */
export abstract class RunEvents {
  /** Appends in the caller's transaction (or its own) and signals. `replay: false` for samples that a replay leaves out. */
  abstract append(
    runId: string,
    type: RunEventType,
    data: Prisma.InputJsonValue,
    options?: { replay?: boolean; client?: Transaction },
  ): Promise<number>;
  /** Events after `afterSeq`; live ones (`all: true`) include samples that a replay thins out. */
  abstract read(runId: string, afterSeq: number, options: { all: boolean; limit: number }): Promise<RunEvent[]>;
}

export abstract class ArtifactStore {
  /** Stores bytes under their SHA-256 (compressed) and ties them to an attempt. */
  abstract put(
    attemptId: string,
    artifact: Omit<Artifact, 'sizeBytes' | 'sha256'>,
    bytes: Buffer,
    client?: Transaction,
  ): Promise<Artifact>;
  abstract list(attemptId: string): Promise<Artifact[]>;
  /** @returns undefined when there is no such artifact */
  abstract open(attemptId: string, name: string): Promise<{ artifact: Artifact; body: Readable } | undefined>;
}

/** What the HTTP side asks of the execution side. It writes run, leg (`pathDocument`: LegPath of leg-path.ts) and step rows, then pokes. */
export abstract class Execution {
  /** The process is about to stop: nothing new begins here from now on; what runs goes on. At once, and never taken back. */
  abstract drain(): void;
  /** New or changed legs may be ready: look now (also signals the other replicas). */
  abstract poke(): Promise<void>;
  /** Cancels queued legs, stops running attempts at both probes now, and lets the worker end the legs. Resolves when both ends were told or could not be reached. */
  abstract cancelRun(runId: string): Promise<void>;
  /** Reads an attempt's stored output again; with `store` the record becomes the new reading. @throws {ProblemError} not-reparsable */
  abstract reparse(attemptId: string, options: { readonly store: boolean }): Promise<Reparse>;
  /** What to change for the path of an ended leg. @returns undefined when nothing of it was attempted */
  abstract advise(legId: string): Promise<Advice | undefined>;
  /** Diagnoses an ended run again from its stored facts; with `store` the record becomes that. @throws {ProblemError} not-found, conflict */
  abstract rediagnose(runId: string, options: { readonly store: boolean }): Promise<Rediagnosis>;
}

export interface ProbeReport {
  readonly name: string;
  readonly site: string;
  readonly version: string;
  readonly endpoints: Probe['endpoints'];
  readonly tools: Record<string, string | null>;
  readonly congestionControls: readonly string[];
  readonly defaultCongestionControl: string;
  readonly clockOffsetMs: number;
  readonly enrolled: boolean;
}
/** Calls to probes by their address. @throws {ProblemError} probe-unreachable, probe-incompatible or probe-identity-mismatch */
export abstract class ProbeDirectory {
  abstract inventory(probe: { name: string; address: string; enrolled: boolean }): Promise<ProbeReport>;
  abstract snapshot(
    probe: { name: string; address: string; enrolled: boolean },
    endpoint: string,
    peerAddress?: string,
  ): Promise<HostSnapshot>;
}
