import type { Ability } from '@plumbline/measure';
import type { Ending } from '@plumbline/model';
import type { Identity, RawFact } from '@plumbline/probe-rpc';

export interface FakeEndpoint {
  readonly name: string;
  readonly address: string;
  readonly interface?: string;
}

export interface FakeProbeOptions {
  readonly name: string;
  readonly site: string;
  readonly endpoints: readonly FakeEndpoint[];
  /** `unix:/path`, or `host:port` with an identity. */
  readonly address: string;
  readonly identity?: Identity;
  readonly version?: string;
  /** What each program says of itself; those that are not named are missing. Default: iperf3 3.12, ping, ss. */
  readonly tools?: Readonly<Record<string, string>>;
  readonly congestionControls?: readonly string[];
  readonly defaultCongestionControl?: string;
  readonly abilities?: readonly Ability[];
  /** What a snapshot says; a function is asked at each. */
  readonly facts?: readonly RawFact[] | (() => readonly RawFact[]);
  /** What happens in an attempt. Default: everything goes well, with recorded output. */
  readonly script?: (attempt: FakeAttempt) => FakeScript | Promise<FakeScript>;
}

/** An attempt as the script sees it, before it starts. */
export interface FakeAttempt {
  readonly id: string;
  readonly legId: string;
  readonly end: 'near' | 'far';
  /** `throughput/iperf3` */
  readonly kind: string;
  readonly spec: unknown;
  readonly endpoint: string;
  readonly fence: bigint;
  readonly shared: boolean;
  /** How many attempts were started on this probe before it. */
  readonly n: number;
}

export interface FakePhase {
  readonly stdout?: string;
  readonly stderr?: string;
  /** What the program captured. */
  readonly capture?: string;
  readonly exitCode?: number | null;
  readonly signal?: string;
  /** Default 10. */
  readonly durationMs?: number;
  /** Texts of ss, sent when the phase starts and kept in the artifact `ss`. */
  readonly samples?: readonly { elapsedMs: number; text: string }[];
  readonly cpuUserUs?: number;
  readonly cpuSystemUs?: number;
}

export interface FakeScript {
  /** By name of the phase (`ping`, `baseline`, `test`, `server`); what is missing goes well. */
  readonly phases?: Readonly<Record<string, FakePhase>>;
  /** How the probe says it ended, when every program ended with 0. */
  readonly ending?: Ending;
  /** Refused before anything starts. */
  readonly refuses?: Ending;
  /** The whole probe dies so long after the start, as by SIGKILL. */
  readonly diesAfterMs?: number;
}

export interface FakeProbe {
  readonly name: string;
  readonly address: string;
  /** Every attempt that was really started, in order. */
  readonly started: readonly FakeAttempt[];
  /** Names of the calls that came, in order. */
  readonly calls: readonly string[];
  setVersion(version: string): void;
  /** As by SIGKILL: streams break, nobody answers. Spool, fences and stops survive. */
  die(): Promise<void>;
  /** Starts it again where it was; attempts that ran are then lost, reason probe-stopped. */
  revive(): Promise<void>;
  /** Streams stay open and say nothing any more, not even that they are alive. */
  fallSilent(on: boolean): void;
  close(): Promise<void>;
}
