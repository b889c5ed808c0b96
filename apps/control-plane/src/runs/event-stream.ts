import { SSE_HEARTBEAT, sseEvent, sseRetry } from '../http/sse.js';
import { WakeUp } from '../http/wake-up.js';
import type { RunEvent } from '../persistence/seams.js';

/** What the stream asks of the stores. */
export interface EventSource {
  /** How far the run is, and whether it has ended; undefined: it is gone. */
  head(): Promise<{ lastSeq: number; ended: boolean } | undefined>;
  read(afterSeq: number, options: { all: boolean; limit: number }): Promise<RunEvent[]>;
  /** @returns a function that ends the subscription */
  onChange(ring: () => void): () => void;
}
export interface StreamTiming {
  /** Signals can be lost; the stream looks by itself this often. */
  readonly lookMs: number;
  readonly heartbeatMs: number;
}
export const STREAM_TIMING: StreamTiming = { lookMs: 1_000, heartbeatMs: 15_000 };
const BATCH = 500;
const RETRY_MS = 1_000;

/**
 * The text of a stream of run events: first what was, samples thinned, then what comes, whole; it ends with the run.
 * The consumer's pace is the stream's: nothing is read before it is asked for.
 */
export async function* eventStream(
  source: EventSource,
  afterSeq: number,
  signal: AbortSignal,
  timing: StreamTiming = STREAM_TIMING,
): AsyncGenerator<string> {
  const bell = new WakeUp();
  const ring = () => bell.ring();
  const stopListening = source.onChange(ring);
  signal.addEventListener('abort', ring, { once: true });
  try {
    yield sseRetry(RETRY_MS);
    const past = await source.head();
    yield* from(source, afterSeq, past?.lastSeq ?? 0, signal);
    yield* live(source, Math.max(afterSeq, past?.lastSeq ?? 0), signal, bell, timing);
  } finally {
    stopListening();
    signal.removeEventListener('abort', ring);
  }
}

/** Events up to `untilSeq`, without the samples that a replay leaves out. */
async function* from(
  source: EventSource,
  afterSeq: number,
  untilSeq: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // Ends: each batch begins later than the one before, and none goes past untilSeq.
  for (let at = afterSeq; at < untilSeq && !signal.aborted; ) {
    const batch = await source.read(at, { all: false, limit: BATCH });
    const shown = batch.filter((event) => event.seq <= untilSeq);
    for (const event of shown) yield sseEvent(eventOf(event));
    if (shown.length < BATCH) return;
    at = shown.at(-1)?.seq ?? untilSeq;
  }
}

async function* live(
  source: EventSource,
  afterSeq: number,
  signal: AbortSignal,
  bell: WakeUp,
  timing: StreamTiming,
): AsyncGenerator<string> {
  let at = afterSeq;
  let quietSince = performance.now();
  // Ends: with the run (or when it is gone), when the client leaves, or when the process stops.
  while (!signal.aborted) {
    const head = await source.head();
    const batch = head && head.lastSeq > at ? await source.read(at, { all: true, limit: BATCH }) : [];
    for (const event of batch) yield sseEvent(eventOf(event));
    at = batch.at(-1)?.seq ?? at;
    if (batch.length > 0) quietSince = performance.now();
    if (!head || (head.ended && at >= head.lastSeq)) return;
    if (batch.length > 0) continue;
    if (performance.now() - quietSince >= timing.heartbeatMs) {
      quietSince = performance.now();
      yield SSE_HEARTBEAT;
    }
    await bell.wait(timing.lookMs);
  }
}

const eventOf = ({ seq, type, at, data }: RunEvent) => ({
  id: seq,
  event: type,
  data: { at, ...(typeof data === 'object' && data !== null ? data : { value: data }) },
});
