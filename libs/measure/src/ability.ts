import type { End, Ending, HostSnapshot, Metric, SocketSample } from '@plumbline/model';
import { z } from 'zod';
import type { MetricFact } from './metric-fact.js';

/** What a probe knows of itself when it builds a command: the host it runs on, never what a request said. */
export interface ProbeHost {
  /** First lines that each program prints of itself, by tool; absent: missing. */
  readonly tools: Readonly<Record<string, string | undefined>>;
  readonly congestionControls: readonly string[];
  /** Whether programs run as root here. Absent: judged as not. */
  readonly root?: boolean;
}

/** The phase before the test's own: a few echoes, so that ratios to the idle round trip have their denominator. */
export const BASELINE_PHASE = 'baseline';

/** What one phase has to do with the next one when both run at the same time. */
export interface Beside {
  /** The next phase starts this long after this one: a load is then under way. */
  readonly leadMs: number;
  /** The next phase starts as soon as this text is in stderr, if that is before `leadMs` is over. */
  readonly readyText?: string;
  /** How long it may go on after those beside it have ended; then it is ended, and that is no failure. */
  readonly graceMs: number;
}

/**
 * A program to run for an attempt. In argv `{file:NAME}` stands for the path of a temporary file of `files`, `{capture}` for
 * that of the capture.
 */
export interface Phase {
  readonly name: string;
  readonly tool: string;
  readonly argv: readonly string[];
  /** Secrets go here and never in argv. Names only are ever logged. */
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** When an optional phase fails, the attempt goes on; its metrics are then null. */
  readonly optional?: boolean;
  /**
   * It runs beside those after it, up to and including the next one that is not beside: a load under a measurement, several
   * short programs at once. Absent: the phases after it wait for its end.
   */
  readonly beside?: Beside;
  /** The program writes a packet capture to `{capture}`: it becomes an artifact. */
  readonly capture?: boolean;
  /** Read these TCP sockets every 250 ms while the program runs. Of phases that run at once, one alone: live readings are of one thing. */
  readonly sockets?: SocketFilter;
}

/** A phase that runs beside others. */
export type BesidePhase = Phase & { readonly beside: Beside };

/** Which sockets belong to the test; all given conditions hold at once. */
export interface SocketFilter {
  readonly localPort?: number;
  /** Of a run of local ports, `localPort` being the first. */
  readonly lastLocalPort?: number;
  readonly peerPort?: number;
  readonly peerAddress?: string;
}

/** A server of the far side, started by Respond. It has printed nothing yet when it is ready: readiness is read from the kernel's socket table. */
export interface Server extends Phase {
  readonly listensOn: { readonly protocol: 'tcp' | 'udp'; readonly port: number };
}

/** What the far side runs, from Respond until the last server has ended, and what the near side must know of it. */
export interface FarSide {
  /** All run at once. The first one's port is in the grant. */
  readonly servers: readonly [Server, ...Server[]];
  /** Run beside the servers and start before them: a capture, say. */
  readonly companions?: readonly BesidePhase[];
  /** Secret. */
  readonly peer: unknown;
}

/** What each side is told when it builds its plan. */
export interface FarInput {
  readonly address: string;
  /** A free one of the probe's own range. */
  readonly port: number;
  /** Further ones, as many as the ability's `morePorts` asks for. */
  readonly morePorts: readonly number[];
  readonly peerAddress: string;
  /** The near side's facts, as `nearFacts` made them. */
  readonly nearFacts: unknown;
  /** A fresh RSA-2048 key pair and a random user and password, for tools that authenticate. */
  readonly credentials: {
    readonly publicKeyPem: string;
    readonly privateKeyPem: string;
    readonly user: string;
    readonly password: string;
  };
}
export interface NearInput {
  readonly address: string;
  readonly interface?: string;
  readonly peerAddress: string;
  /** A free local port for the data socket, so that it can be told from the control socket: the first of `localPorts`. */
  readonly localPort: number;
  /** What the far side answered; null for measurements without a server. */
  readonly peer: unknown;
}

/** Everything an attempt left behind, as text. Absent: that end or phase did not run, or nothing arrived. */
export interface AttemptOutput {
  readonly phases: readonly PhaseOutput[];
  readonly samples: readonly SocketSample[];
  readonly snapshots: Partial<Record<End, HostSnapshot>>;
  /** How the probes say the processes ended; the near side's first cause. */
  readonly ending: Ending;
}
export interface PhaseOutput {
  readonly end: End;
  readonly name: string;
  readonly tool: string;
  readonly argv: readonly string[];
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The bytes of its packet capture. Absent: it made none. */
  readonly capture?: Uint8Array;
  readonly cpuUserUs?: number;
  readonly cpuSystemUs?: number;
  readonly durationMs?: number;
}

/** What the control plane read out of an attempt. Metrics exist for failed attempts too: null, with the reason. */
export interface Reading {
  readonly ending: Ending;
  readonly metrics: readonly Metric[];
  /** Typed result as JSON, stored whole. */
  readonly result: unknown;
  readonly notes: readonly string[];
}

/** An earlier attempt that another is compared with. */
export interface Earlier {
  readonly run: string;
  readonly attempt: string;
  /** RFC 3339, UTC. */
  readonly endedAt: string;
  /** Its typed result, as it was stored. */
  readonly result: unknown;
}

/** How an attempt is compared with the last one of its kind. Pure: the same two always give the same. */
export interface SinceLast<S> {
  /** What of the spec must be the same in both; path, tool and the end where it starts always must. */
  readonly sameIn: (spec: S) => Readonly<Record<string, unknown>>;
  /** The reading with what the comparison adds. @param earlier absent: there is none */
  readonly compare: (reading: Reading, earlier: Earlier | undefined) => Reading;
}

/**
 * exclusive: nothing else may run on its interfaces and links meanwhile. shared: light and short, several at once. background:
 * light and long; it gives way to exclusive tests and is begun anew after them.
 */
export type Sharing = 'exclusive' | 'shared' | 'background';

/** What is measured: the spec that travels to the probes. No addresses in it: those come from the probes' own endpoints. */
export interface Measurement<S extends z.ZodType = z.ZodType> {
  readonly kind: string;
  readonly schemaVersion: number;
  readonly spec: S;
  readonly metrics: readonly MetricFact[];
  readonly sharing: Sharing;
  /** May run on a standing grant of a day, so that a path whose far probe is down can still be diagnosed. */
  readonly standingGrant: boolean;
  /** Ceilings that the far probe consents to. */
  readonly ceilings: (spec: z.output<S>) => { maxRateBps: number | null; maxStreams: number; maxDurationS: number };
  /** Seconds after which the probe ends an attempt, however far it is; undefined: as long as the tool may take. */
  readonly deadlineS?: (spec: z.output<S>) => number | undefined;
  /** Absent: it is not compared with what was measured before. */
  readonly sinceLast?: SinceLast<z.output<S>>;
}
export const defineMeasurement = <S extends z.ZodType>(m: Measurement<S>): Measurement<S> => m;

/** How one tool measures: what `defineAbility` ties to its measurement. */
export type TypedAbility<S extends z.ZodType> = {
  readonly tool: string;
  /** Other programs that a phase uses (ping for a baseline). Their absence makes that phase impossible, not the ability. */
  readonly alsoUses?: readonly string[];
  /** Why this host cannot carry out the spec in that role; undefined: it can. Never guesses: an unknown version is judged by the oldest supported one. */
  readonly refuses: (spec: z.output<S>, role: End, host: ProbeHost) => Ending | undefined;
  /** Facts of the near host that the far side needs to set up its server; not secret. */
  readonly nearFacts?: (spec: z.output<S>, host: ProbeHost) => unknown;
  /** Servers and what the near side must know of them. Absent: the far side only consents. */
  readonly far?: (spec: z.output<S>, host: ProbeHost, input: FarInput) => FarSide;
  /** How many ports the far side needs besides the first; 0 when absent. */
  readonly morePorts?: (spec: z.output<S>) => number;
  readonly near: (spec: z.output<S>, host: ProbeHost, input: NearInput) => readonly Phase[];
  /** How many local ports in a row the near side takes, one for each data socket. Absent: one. */
  readonly localPorts?: (spec: z.output<S>) => number;
  /** Whether a sampled socket carries the test's data (iperf3's control socket does not). */
  readonly isDataSocket?: (sample: SocketSample, phases: readonly PhaseOutput[]) => boolean;
  readonly read: (spec: z.output<S>, output: AttemptOutput) => Reading;
  /** The longest that the attempt may take, all phases and margins included. */
  readonly longestDurationMs: (spec: z.output<S>) => number;
};

/** What the core sees: no type parameters, so that abilities of every tool fit in one list. Each method parses the raw spec. */
export interface Ability {
  readonly tool: string;
  readonly alsoUses: readonly string[];
  readonly measures: string;
  readonly schemaVersion: number;
  readonly sharing: Sharing;
  readonly standingGrant: boolean;
  readonly hasServer: boolean;
  /** @throws {z.ZodError} when the spec does not fit */
  prepare(rawSpec: unknown): PreparedAbility;
}
export interface PreparedAbility {
  readonly ceilings: { maxRateBps: number | null; maxStreams: number; maxDurationS: number };
  readonly longestDurationMs: number;
  readonly morePorts: number;
  readonly localPorts: number;
  refuses(role: End, host: ProbeHost): Ending | undefined;
  nearFacts(host: ProbeHost): unknown;
  far(host: ProbeHost, input: FarInput): FarSide | undefined;
  near(host: ProbeHost, input: NearInput): readonly Phase[];
  isDataSocket(sample: SocketSample, phases: readonly PhaseOutput[]): boolean;
  read(output: AttemptOutput): Reading;
  /** Absent: it is not compared with what was measured before. */
  readonly sinceLast?: {
    readonly same: Readonly<Record<string, unknown>>;
    readonly compare: (reading: Reading, earlier: Earlier | undefined) => Reading;
  };
}

/** Ties a tool to a measurement; the type of the spec stays inside. */
export const defineAbility = <S extends z.ZodType>(m: Measurement<S>, t: TypedAbility<S>): Ability => ({
  tool: t.tool,
  alsoUses: t.alsoUses ?? [],
  measures: m.kind,
  schemaVersion: m.schemaVersion,
  sharing: m.sharing,
  standingGrant: m.standingGrant,
  hasServer: t.far !== undefined,
  prepare(raw) {
    const spec = m.spec.parse(raw);
    const deadlineS = m.deadlineS?.(spec) ?? Number.POSITIVE_INFINITY;
    return {
      ceilings: m.ceilings(spec),
      longestDurationMs: Math.min(t.longestDurationMs(spec), deadlineS * 1000),
      morePorts: t.morePorts?.(spec) ?? 0,
      localPorts: t.localPorts?.(spec) ?? 1,
      refuses: (role, host) => t.refuses(spec, role, host),
      nearFacts: (host) => t.nearFacts?.(spec, host) ?? {},
      far: (host, input) => t.far?.(spec, host, input),
      near: (host, input) => t.near(spec, host, input),
      isDataSocket: (sample, phases) => t.isDataSocket?.(sample, phases) ?? false,
      read: (output) => t.read(spec, output),
      ...(m.sinceLast && { sinceLast: { same: m.sinceLast.sameIn(spec), compare: m.sinceLast.compare } }),
    };
  },
});
