import { randomUUID } from 'node:crypto';
import { type Ability, abilities as allAbilities, type ProbeHost } from '@plumbline/measure';
import { type Ending, VERSION } from '@plumbline/model';
import { type Identity, makeKey, type RawFact, type ServedProbe, serveProbe } from '@plumbline/probe-rpc';
import { CANNED_TOOLS } from './canned/outputs.js';
import { FakeService } from './fake-service.js';
import { scriptedAbilities } from './scripted.js';

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
  readonly facts?: readonly RawFact[];
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

/**
 * A probe in this process that keeps the probe's contract (the conformance suite says so) and runs no program.
 * @throws {Error} when the address cannot be used
 */
export async function startFakeProbe(options: FakeProbeOptions): Promise<FakeProbe> {
  const tools = options.tools ?? CANNED_TOOLS;
  const congestionControls = options.congestionControls ?? ['reno', 'cubic', 'bbr'];
  const host: ProbeHost = { tools, congestionControls, root: true };
  const service = new FakeService({
    ...options,
    host,
    key: options.identity?.key ?? makeKey(),
    bootId: randomUUID(),
    version: options.version ?? VERSION,
    defaultCongestionControl: options.defaultCongestionControl ?? 'cubic',
    abilities: options.abilities ?? [...allAbilities, ...scriptedAbilities],
    onDeath: () => void die(),
  });
  const serve = (): Promise<ServedProbe> =>
    serveProbe({ address: options.address, identity: options.identity, implementation: service.implementation });
  let served: ServedProbe | undefined = await serve();
  const die = async (): Promise<void> => {
    const dead = served;
    served = undefined;
    service.die();
    await dead?.close(0);
  };
  return {
    name: options.name,
    address: options.address,
    started: service.started,
    calls: service.calls,
    setVersion: (version) => service.setVersion(version),
    die,
    async revive() {
      service.comeBack();
      served ??= await serve();
    },
    fallSilent: (on) => service.fallSilent(on),
    close: die,
  };
}
