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

/** A program to run for an attempt. `{file:NAME}` in argv stands for the path of a temporary file of `files`. */
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
  /** Read these TCP sockets every 250 ms while the program runs. */
  readonly sockets?: SocketFilter;
}

/** Which sockets belong to the test; all given conditions hold at once. */
export interface SocketFilter {
  readonly localPort?: number;
  readonly peerPort?: number;
  readonly peerAddress?: string;
}

/** The far side's server, started by Respond. It has printed nothing yet when it is ready: readiness is read from the kernel's socket table. */
export interface Server extends Phase {
  readonly listensOn: { readonly protocol: 'tcp' | 'udp'; readonly port: number };
}

/** What each side is told when it builds its plan. `port` is a free one of the probe's own range. */
export interface FarInput {
  readonly address: string;
  readonly port: number;
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
  /** A free local port for the data socket, so that it can be told from the control socket. */
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
}
export const defineMeasurement = <S extends z.ZodType>(m: Measurement<S>): Measurement<S> => m;

type TypedAbility<S extends z.ZodType> = {
  readonly tool: string;
  /** Other programs that a phase uses (ping for a baseline). Their absence makes that phase impossible, not the ability. */
  readonly alsoUses?: readonly string[];
  /** Why this host cannot carry out the spec in that role; undefined: it can. Never guesses: an unknown version is judged by the oldest supported one. */
  readonly refuses: (spec: z.output<S>, role: End, host: ProbeHost) => Ending | undefined;
  /** Facts of the near host that the far side needs to set up its server; not secret. */
  readonly nearFacts?: (spec: z.output<S>, host: ProbeHost) => unknown;
  /** Server and what the near side must know of it (secret). Absent: the far side only consents. */
  readonly far?: (spec: z.output<S>, host: ProbeHost, input: FarInput) => { server: Server; peer: unknown };
  readonly near: (spec: z.output<S>, host: ProbeHost, input: NearInput) => readonly Phase[];
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
  refuses(role: End, host: ProbeHost): Ending | undefined;
  nearFacts(host: ProbeHost): unknown;
  far(host: ProbeHost, input: FarInput): { server: Server; peer: unknown } | undefined;
  near(host: ProbeHost, input: NearInput): readonly Phase[];
  isDataSocket(sample: SocketSample, phases: readonly PhaseOutput[]): boolean;
  read(output: AttemptOutput): Reading;
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
    return {
      ceilings: m.ceilings(spec),
      longestDurationMs: t.longestDurationMs(spec),
      refuses: (role, host) => t.refuses(spec, role, host),
      nearFacts: (host) => t.nearFacts?.(spec, host) ?? {},
      far: (host, input) => t.far?.(spec, host, input),
      near: (host, input) => t.near(spec, host, input),
      isDataSocket: (sample, phases) => t.isDataSocket?.(sample, phases) ?? false,
      read: (output) => t.read(spec, output),
    };
  },
});
