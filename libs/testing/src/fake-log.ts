import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { ALIVE_EVERY_MS, CHUNK_MAX_BYTES, type ExecuteResponse } from '@plumbline/probe-rpc';

type Event = NonNullable<ExecuteResponse['event']>;

/** The events of one attempt of the fake probe, in memory, numbered from 1. */
export class FakeLog {
  readonly #events: ExecuteResponse[] = [];
  readonly #changes = new EventEmitter();
  #over = false;

  constructor() {
    this.#changes.setMaxListeners(0);
  }

  get finished(): boolean {
    return this.#events.at(-1)?.event?.$case === 'finished';
  }

  append(event: Event): void {
    if (this.finished) return;
    this.#events.push({ sequence: BigInt(this.#events.length + 1), at: new Date(), event });
    this.#changes.emit('change');
  }

  artifact(name: string, phase: string, tool: string, stream: string, text: string): void {
    const data = Buffer.from(text);
    const mediaType = stream === 'samples' ? 'application/jsonl' : 'text/plain';
    this.append({ $case: 'artifactStart', value: { name, phase, tool, stream, mediaType } });
    for (let at = 0; at < data.length; at += CHUNK_MAX_BYTES)
      this.append({ $case: 'artifactChunk', value: { data: data.subarray(at, at + CHUNK_MAX_BYTES) } });
    const sha256 = createHash('sha256').update(data).digest();
    this.append({ $case: 'artifactEnd', value: { sizeBytes: BigInt(data.length), sha256 } });
  }

  /** Ends all readers: the probe is dead. */
  abandon(): void {
    this.#over = true;
    this.#changes.emit('change');
    this.#over = false;
  }

  /** Ends with Finished, when the caller goes, or when the log is abandoned. */
  async *read(after: bigint, signal: AbortSignal, isSilent: () => boolean): AsyncGenerator<ExecuteResponse, void> {
    for (let next = Number(after); !signal.aborted; ) {
      const event = isSilent() ? undefined : this.#events[next];
      if (event) {
        next += 1;
        yield event;
        if (event.event?.$case === 'finished') return;
        continue;
      }
      if (this.finished && !isSilent()) return;
      const change = await once(this.#changes, 'change', {
        signal: AbortSignal.any([signal, AbortSignal.timeout(ALIVE_EVERY_MS)]),
      }).catch(() => undefined);
      if (this.#over) return;
      if (change === undefined && !isSilent() && !signal.aborted)
        yield { sequence: 0n, at: new Date(), event: { $case: 'alive', value: {} } };
    }
  }
}
