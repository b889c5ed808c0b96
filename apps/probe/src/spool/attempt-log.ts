import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { closeSync, fsyncSync, openSync, readFileSync, statSync, truncateSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ALIVE_EVERY_MS, CHUNK_MAX_BYTES, type ExecuteResponse } from '@plumbline/probe-rpc';
import { decodeFrames, encodeFrame } from './frames.js';

type Event = NonNullable<ExecuteResponse['event']>;
export interface ArtifactFacts {
  readonly name: string;
  readonly phase: string;
  readonly tool: string;
  readonly stream: 'stdout' | 'stderr' | 'samples' | 'capture';
}

const READ_BYTES = 256 * 1024;
const MEDIA_TYPES: Readonly<Partial<Record<string, string>>> = {
  samples: 'application/jsonl',
  capture: 'application/vnd.tcpdump.pcap',
};
const mediaTypeOf = (stream: string): string => MEDIA_TYPES[stream] ?? 'text/plain';

/**
 * The events of one attempt, in a file that is only appended to; the bytes of artifacts lie beside it, and their chunks get
 * their sequence numbers from their place. Any number of readers follow it, from any sequence, while it grows and after.
 */
export class AttemptLog {
  readonly #changes = new EventEmitter();
  readonly #file: string;
  readonly #artifacts = new Set<string>();
  #descriptor: number | undefined;
  #bytes = 0;
  #sequence = 0n;
  #finished = false;
  #sizeBytes = 0;
  #broken: Error | undefined;

  private constructor(private readonly folder: string) {
    this.#file = join(folder, 'events');
    this.#changes.setMaxListeners(0);
  }

  /** For a new attempt, in an empty folder. */
  static create(folder: string): AttemptLog {
    const log = new AttemptLog(folder);
    log.#descriptor = openSync(log.#file, 'a', 0o600);
    return log;
  }

  /** For one that an earlier life left. What a crash cut is dropped. */
  static reopen(folder: string): AttemptLog {
    const log = new AttemptLog(folder);
    log.#descriptor = openSync(log.#file, 'a', 0o600);
    const { events, length } = decodeFrames(readFileSync(log.#file));
    truncateSync(log.#file, length);
    log.#bytes = length;
    for (const { event, sequence } of events) {
      log.#sequence = sequence;
      log.#finished ||= event?.$case === 'finished';
      if (event?.$case === 'artifactStart') log.#artifacts.add(event.value.name);
      if (event?.$case === 'artifactEnd') log.#sizeBytes += Number(event.value.sizeBytes);
    }
    if (log.#finished) log.#close();
    return log;
  }

  get finished(): boolean {
    return this.#finished;
  }
  /** On disk, roughly. */
  get sizeBytes(): number {
    return this.#bytes + this.#sizeBytes;
  }
  hasArtifact(name: string): boolean {
    return this.#artifacts.has(name);
  }
  /** Where the bytes of an artifact belong, before and after it is announced. */
  artifactFile(name: string): string {
    return join(this.folder, `artifact-${encodeURIComponent(name)}`);
  }

  append(event: Event): void {
    this.#write([{ sequence: this.#sequence + 1n, at: new Date(), event }]);
  }

  /** Announces an artifact whose bytes are complete in `artifactFile`. */
  async addArtifact(facts: ArtifactFacts): Promise<void> {
    const { sizeBytes, sha256 } = await digest(this.artifactFile(facts.name));
    const start = this.#sequence + 1n;
    const end = start + BigInt(Math.ceil(sizeBytes / CHUNK_MAX_BYTES)) + 1n;
    const at = new Date();
    this.#artifacts.add(facts.name);
    this.#sizeBytes += sizeBytes;
    this.#write([
      {
        sequence: start,
        at,
        event: { $case: 'artifactStart', value: { ...facts, mediaType: mediaTypeOf(facts.stream) } },
      },
      { sequence: end, at, event: { $case: 'artifactEnd', value: { sizeBytes: BigInt(sizeBytes), sha256 } } },
    ]);
  }

  /** The last event; on disk when this returns. */
  finish(event: Extract<Event, { $case: 'finished' }>): void {
    if (this.#finished) return;
    try {
      this.append(event);
      if (this.#descriptor !== undefined) fsyncSync(this.#descriptor);
    } finally {
      this.#finished = true;
      this.#close();
      this.#changes.emit('change');
    }
  }

  #write(events: ExecuteResponse[]): void {
    if (this.#descriptor === undefined || this.#finished) return;
    const frames = Buffer.concat(events.map(encodeFrame));
    try {
      writeSync(this.#descriptor, frames);
    } catch (error) {
      this.#broken = error instanceof Error ? error : new Error(String(error));
      throw this.#broken;
    }
    this.#bytes += frames.length;
    this.#sequence = events.at(-1)?.sequence ?? this.#sequence;
    this.#changes.emit('change');
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /**
   * Events after a sequence, as they come, with Alive after each second of silence. Ends with Finished or with the signal.
   * @throws {Error} when the log could not be written to its end
   */
  async *follow(after: bigint, signal: AbortSignal): AsyncGenerator<ExecuteResponse, void> {
    const file = await open(this.#file, 'r');
    try {
      let offset = 0;
      let opened: ExecuteResponse | undefined;
      while (!signal.aborted) {
        const end = this.#bytes;
        const { events, length } = decodeFrames(await readAt(file, offset, end));
        offset += length;
        for (const event of events) {
          yield* this.#withChunks(event, opened, after);
          opened = event;
          if (event.event?.$case === 'finished') return;
        }
        if (length > 0 || end < this.#bytes) continue;
        if (this.#broken ?? offset < end) throw this.#broken ?? new Error(`${this.#file} is damaged`);
        if (this.#finished) return;
        if (!(await this.#changed(signal)))
          yield { sequence: 0n, at: new Date(), event: { $case: 'alive', value: {} } };
      }
    } finally {
      await file.close();
    }
  }

  /** An event, preceded by the chunks of the artifact that it closes. */
  async *#withChunks(
    event: ExecuteResponse,
    previous: ExecuteResponse | undefined,
    after: bigint,
  ): AsyncGenerator<ExecuteResponse, void> {
    if (event.event?.$case === 'artifactEnd' && previous?.event?.$case === 'artifactStart' && event.sequence > after) {
      const skip = after > previous.sequence ? Number(after - previous.sequence) : 0;
      const size = Number(event.event.value.sizeBytes);
      let sequence = previous.sequence + BigInt(skip);
      for await (const data of chunks(this.artifactFile(previous.event.value.name), skip * CHUNK_MAX_BYTES, size)) {
        sequence += 1n;
        yield { sequence, at: event.at, event: { $case: 'artifactChunk', value: { data } } };
      }
    }
    if (event.sequence > after) yield event;
  }

  /** Whether something was appended within ALIVE_EVERY_MS; true as well when the reader goes. */
  async #changed(signal: AbortSignal): Promise<boolean> {
    const late = AbortSignal.timeout(ALIVE_EVERY_MS);
    const change = once(this.#changes, 'change', { signal: AbortSignal.any([signal, late]) });
    return change.then(
      () => true,
      () => signal.aborted,
    );
  }
}

async function readAt(file: FileHandle, offset: number, end: number): Promise<Buffer> {
  const buffer = Buffer.alloc(Math.min(Math.max(end - offset, 0), READ_BYTES));
  let filled = 0;
  // Ends when the buffer is full or the file is at its end.
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function* chunks(path: string, from: number, to: number): AsyncGenerator<Buffer, void> {
  if (from >= to) return;
  const file = await open(path, 'r');
  try {
    for (let at = from; at < to; at += CHUNK_MAX_BYTES)
      yield await readAt(file, at, Math.min(at + CHUNK_MAX_BYTES, to));
  } finally {
    await file.close();
  }
}

/** What most programs print is read at once: each step of a longer read waits for its turn on a busy host. */
const AT_ONCE_BYTES = 256 * 1024;

async function digest(path: string): Promise<{ sizeBytes: number; sha256: Buffer }> {
  const hash = createHash('sha256');
  if (statSync(path).size <= AT_ONCE_BYTES) {
    const data = readFileSync(path);
    return { sizeBytes: data.length, sha256: hash.update(data).digest() };
  }
  const file = await open(path, 'r');
  try {
    let sizeBytes = 0;
    // Ends at the end of the file, which nobody writes to any more.
    for (;;) {
      const data = await readAt(file, sizeBytes, sizeBytes + READ_BYTES);
      if (data.length === 0) return { sizeBytes, sha256: hash.digest() };
      hash.update(data);
      sizeBytes += data.length;
    }
  } finally {
    await file.close();
  }
}
