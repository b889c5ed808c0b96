import { problemFrom } from './problem.js';
import { type SseMessage, SseParser } from './sse-parser.js';

export interface RunEventMessage {
  /** Counts from 1 within the run. */
  readonly id: number;
  readonly event: string;
  /** The event's own fields, and `at`. */
  readonly data: Readonly<Record<string, unknown>>;
}
export interface RunEventsOptions {
  /** Only events after this one. */
  readonly after?: number;
  readonly signal?: AbortSignal;
  readonly fetch?: (input: string, init: RequestInit) => Promise<Response>;
  /** How long nothing may come from the server, not even its heartbeat (every 15 s), before the connection is made anew. */
  readonly silenceMs?: number;
  readonly retryMs?: number;
  /** How long the server may be away before that is an error. */
  readonly giveUpMs?: number;
}

const TERMINAL: readonly unknown[] = ['succeeded', 'failed', 'cancelled'];

/**
 * What happens in a run, until it ends. A broken connection is made again and goes on after the last event that was seen.
 * @throws {ApiProblem} when the control plane refuses (no such run, no such right)
 * @throws {Error} when it has been away for `giveUpMs`; the signal's reason when it aborts
 */
export async function* runEvents(
  baseUrl: string,
  token: string,
  runId: string,
  options: RunEventsOptions = {},
): AsyncGenerator<RunEventMessage, void, undefined> {
  const { signal, retryMs = 1_000, giveUpMs = 60_000 } = options;
  let last = options.after ?? 0;
  let heardAt = performance.now();
  // Ends: with the run, at a refusal, when the signal aborts, or when the server has been away for giveUpMs.
  for (;;) {
    signal?.throwIfAborted();
    try {
      for await (const message of connection(baseUrl, token, runId, last, options)) {
        heardAt = performance.now();
        if (message === 'ended') return;
        if (message === 'alive' || message.id <= last) continue;
        last = message.id;
        yield message;
        if (message.event === 'run' && TERMINAL.includes(message.data.state)) return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof Interrupted)) throw error;
      if (performance.now() - heardAt > giveUpMs)
        throw new Error(`The events of run ${runId} stopped: ${error.message}.`, { cause: error });
    }
    await pause(retryMs, signal);
  }
}

/** The connection broke, or the server cannot answer now: worth another try. */
class Interrupted extends Error {}

/** One connection's messages. Ends when the server closes it. */
async function* connection(
  baseUrl: string,
  token: string,
  runId: string,
  after: number,
  { signal, fetch = globalThis.fetch, silenceMs = 40_000 }: RunEventsOptions,
): AsyncGenerator<RunEventMessage | 'alive' | 'ended'> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMs);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMs);
  };
  const url = `${baseUrl.replace(/\/+$/, '')}/v1/runs/${encodeURIComponent(runId)}/events`;
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'last-event-id': String(after) };
  try {
    const response = await attempt(() =>
      fetch(url, { headers, signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]) }),
    );
    heard();
    if (response.status === 204) {
      yield 'ended';
      return;
    }
    if (response.status >= 500) throw new Interrupted(`status ${response.status}`);
    if (!response.ok || !response.body)
      throw problemFrom(response.status, await response.json().catch(() => undefined));
    const parser = new SseParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      // Ends with the body, or when the silence or the caller aborts it.
      for (let piece = await attempt(() => reader.read()); !piece.done; piece = await attempt(() => reader.read())) {
        heard();
        yield 'alive';
        for (const message of parser.push(piece.value)) yield eventOf(message);
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Interrupted(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function eventOf({ id, event, data }: SseMessage): RunEventMessage {
  const parsed: unknown = JSON.parse(data);
  const fields =
    typeof parsed === 'object' && parsed !== null ? Object.fromEntries(Object.entries(parsed)) : { value: parsed };
  return { id: Number(id), event, data: fields };
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
