import { createHash } from 'node:crypto';
import {
  connectProbe,
  ExecuteResponse,
  type Finished,
  type GrantPayload,
  makeKey,
  type ProbeConnection,
  signGrant,
} from '@plumbline/probe-rpc';
import type { ScriptedSpec } from './scripted.js';

/** A probe under test. It has the scripted abilities and the endpoints of CONFORMANCE_ENDPOINTS. */
export interface ConformanceSubject {
  readonly name: string;
  readonly address: string;
  /** Ends it as by SIGKILL, and starts it again with what it had on disk. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** `one` and `two` are on interfaces of their own; `whole` names none and so stands for the whole probe. */
export const CONFORMANCE_ENDPOINTS = [
  { name: 'one', address: '127.0.0.1', interface: 'lo' },
  { name: 'two', address: '127.0.0.2', interface: 'other0' },
  { name: 'whole', address: '127.0.0.3' },
] as const;

export interface Asked {
  readonly id: string;
  readonly fence: bigint;
  readonly shared?: boolean;
  readonly endpoint?: string;
  readonly kind?: string;
  readonly spec?: Partial<ScriptedInput>;
  readonly longestMs?: number;
  readonly grant?: Partial<GrantPayload> | null;
}
type ScriptedInput = {
  phases: Partial<ScriptedSpec['phases'][number]>[];
  maxStreams: number;
  longestMs: number;
  deaf: boolean;
  servers: number;
  companions: Partial<ScriptedSpec['companions'][number]>[];
  needsTool: string;
};

/** What an attempt's stream said. */
export interface Heard {
  readonly events: readonly ExecuteResponse[];
  readonly finished: Finished | undefined;
  /** Names of the events, in order; chunks of one artifact once. */
  readonly story: readonly string[];
  artifact(name: string): Buffer | undefined;
  /** Each event as a text that equals another's only if all of it does: quick to compare where the bytes are many. */
  readonly prints: readonly string[];
}

/** Speaks to a probe as the control plane does. */
export class Driver {
  readonly #farKey = makeKey();
  #ids = 0;
  connection: ProbeConnection;

  constructor(private readonly subject: ConformanceSubject) {
    this.connection = connectProbe({ address: subject.address, name: subject.name });
  }

  /** A fresh attempt id. */
  id(): string {
    this.#ids += 1;
    return `attempt-${process.pid}-${this.#ids}`;
  }

  reconnect(): void {
    this.connection.close();
    this.connection = connectProbe({ address: this.subject.address, name: this.subject.name });
  }

  close(): void {
    this.connection.close();
  }

  request(asked: Asked) {
    const kind = asked.kind ?? 'scripted/sh';
    return {
      claim: {
        attemptId: asked.id,
        legId: 'leg',
        fence: asked.fence,
        shared: asked.shared ?? false,
        longestDurationMs: asked.longestMs ?? 0,
      },
      spec: { kind, schemaVersion: 1, specJson: JSON.stringify({ phases: [{ name: 'main' }], ...asked.spec }) },
      endpoint: asked.endpoint ?? 'one',
      ...(asked.grant === null ? {} : { grant: this.grant({ attemptId: asked.id, specKind: kind, ...asked.grant }) }),
      peerJson: 'null',
    };
  }

  /** A grant as a far probe that is not enrolled would give it. */
  grant(payload: Partial<GrantPayload>) {
    return signGrant(
      {
        attemptId: null,
        legId: null,
        probe: 'far',
        endpoint: 'one',
        address: '127.0.0.9',
        port: null,
        specKind: 'scripted/sh',
        maxRateBps: null,
        maxStreams: 1,
        maxDurationS: 60,
        notAfter: new Date(Date.now() + 60_000).toISOString(),
        ...payload,
      },
      this.#farKey,
    );
  }

  run(asked: Asked): Promise<Heard> {
    return this.hear(this.connection.execute(this.request(asked)));
  }

  attach(attemptId: string, afterSequence = 0n): Promise<Heard> {
    return this.hear(this.connection.execute({ claim: { attemptId }, attachOnly: true, afterSequence }));
  }

  /** Starts an attempt and returns when its program runs, without listening any longer. */
  async begin(asked: Asked): Promise<void> {
    for await (const { event } of this.connection.execute(this.request(asked))) {
      if (event?.$case === 'started') return;
      if (event?.$case === 'finished') throw new Error(`it did not start: ${event.value.reason} ${event.value.detail}`);
    }
  }

  async hear(stream: AsyncIterable<ExecuteResponse>): Promise<Heard> {
    const events: ExecuteResponse[] = [];
    // Ends with Finished, or with the connection's own silence deadline.
    for await (const event of stream) events.push(event);
    return heard(events);
  }
}

export function heard(events: readonly ExecuteResponse[]): Heard {
  const last = events.at(-1)?.event;
  const artifacts = readArtifacts(events);
  return {
    events,
    finished: last?.$case === 'finished' ? last.value : undefined,
    story: events
      .map((e) => e.event?.$case ?? 'nothing')
      .filter((name, i, all) => name !== 'artifactChunk' || all[i - 1] !== name),
    artifact: (name) => artifacts.get(name),
    prints: events.map((event) => {
      const digest = createHash('sha256').update(ExecuteResponse.encode(event).finish()).digest('hex');
      return `${event.sequence} ${event.event?.$case} ${digest}`;
    }),
  };
}

/** Puts the chunks together. @throws {Error} when a size, an order or a digest is wrong */
function readArtifacts(events: readonly ExecuteResponse[]): Map<string, Buffer> {
  const artifacts = new Map<string, Buffer>();
  let open: { name: string; chunks: Buffer[] } | undefined;
  for (const { event } of events) {
    if (event?.$case === 'artifactStart') open = { name: event.value.name, chunks: [] };
    if (event?.$case === 'artifactChunk') open?.chunks.push(Buffer.from(event.value.data));
    if (event?.$case === 'artifactEnd' && open) {
      const data = Buffer.concat(open.chunks);
      const digest = createHash('sha256').update(data).digest();
      if (BigInt(data.length) !== event.value.sizeBytes || !digest.equals(event.value.sha256))
        throw new Error(`artifact ${open.name} came damaged`);
      artifacts.set(open.name, data);
      open = undefined;
    }
  }
  return artifacts;
}
