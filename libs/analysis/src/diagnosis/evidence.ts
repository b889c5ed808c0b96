import type {
  CounterMovement,
  End,
  EndAccount,
  HostSnapshot,
  Labels,
  Metric,
  Outcome,
  Path,
  Reason,
  SocketSample,
} from '@plumbline/model';

/** One end's host just before and just after an attempt. */
export interface SnapshotPair {
  readonly before?: HostSnapshot;
  readonly after?: HostSnapshot;
}

/** What is on record of one attempt, in the model's words and no tool's. Its near end is the one that started it. */
export interface AttemptEvidence {
  readonly n: number;
  readonly repeat: number;
  readonly cell: Labels;
  readonly measurement: string;
  readonly tool: string;
  /** As it went to the probes; read loosely, for what was asked for (window, algorithm, rate, duration, omit, streams). */
  readonly spec: unknown;
  /** `far`: the destination's probe was the near end. */
  readonly startsAt?: 'far';
  readonly outcome: Outcome;
  readonly reason?: Reason;
  readonly metrics: readonly Metric[];
  readonly ends: readonly EndAccount[];
  readonly counters: Partial<Record<End, CounterMovement>>;
  /** All readings of the data sockets of both ends, in order of time. */
  readonly samples: readonly SocketSample[];
  readonly snapshots: Partial<Record<End, SnapshotPair>>;
}

export interface StepEvidence {
  readonly index: number;
  readonly kind: string;
  readonly name?: string;
  /** The test of the plan, as stored. */
  readonly test: unknown;
  readonly metrics: readonly Metric[];
  /** Those that count: a retry stands for what it replaced. */
  readonly attempts: readonly AttemptEvidence[];
}

/** Everything that one leg of a run left, for the diagnosis: read from memory or from Postgres, the same either way. */
export interface LegEvidence {
  readonly path: Path;
  readonly steps: readonly StepEvidence[];
}
