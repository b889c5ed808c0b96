import { setTimeout as sleep } from 'node:timers/promises';
import { type Ending, ended } from '@plumbline/model';
import { type ExecuteRequest, ProbeCallError, type ProbeConnection } from '@plumbline/probe-rpc';
import { TIMING } from '../timing.js';
import type { Change, EndRecord } from './end-record.js';

/** How following one end came out. */
export type Followed =
  | { readonly how: 'finished' }
  /** The probe would not start or attach it. */
  | { readonly how: 'refused'; readonly ending: Ending }
  /** The probe answers and knows nothing of it. */
  | { readonly how: 'unknown' }
  /** The probe could not be reached until time was up. */
  | { readonly how: 'away' };

export interface FollowOptions {
  readonly record: EndRecord;
  readonly connect: () => Promise<ProbeConnection>;
  /** What opens the stream until a first event has come; after that it is only attached to. */
  readonly first: Partial<ExecuteRequest>;
  readonly attach: Partial<ExecuteRequest>;
  /** Until when (performance.now) it is tried while no event has come, and afterwards. */
  readonly firstUntil: number;
  readonly until: () => number;
  readonly onChange: (change: Change) => void;
  readonly onBreak: () => void;
  /** Stops following; says nothing to the probe. */
  readonly signal: AbortSignal;
}

/**
 * Follows one end of an attempt to its Finished. A stream that breaks or falls silent is attached again where it stopped: losing
 * it never ends an attempt.
 */
export async function followEnd(options: FollowOptions): Promise<Followed> {
  const { record, signal } = options;
  // Ends: with Finished, a refusal, NOT_FOUND, the signal, or when until() has passed.
  for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    const seen = record.after;
    const result = await readStream(options);
    if (result) return result;
    if (signal.aborted) break;
    options.onBreak();
    if (record.after > seen) pauseMs = 100;
    const until = record.after > 0n ? options.until() : options.firstUntil;
    if (performance.now() + pauseMs > until) return { how: 'away' };
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return { how: 'away' };
}

/** One stream. @returns undefined when it broke and may be attached again */
async function readStream(options: FollowOptions): Promise<Followed | undefined> {
  const { record, signal } = options;
  const request = record.after > 0n ? options.attach : options.first;
  try {
    const connection = await options.connect();
    const events = connection.execute(
      { ...request, afterSequence: record.after },
      { signal, silenceMs: TIMING.silenceMs },
    );
    // Ends: the client ends it with Finished, with an error, or after silenceMs without a word.
    for await (const event of events) {
      const change = record.apply(event);
      options.onChange(change);
      if (change.kind === 'finished') return { how: 'finished' };
    }
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof ProbeCallError)) throw error;
    return judge(error);
  }
}

function judge(error: ProbeCallError): Followed | undefined {
  if (error.problem === 'not-found') return { how: 'unknown' };
  if (error.problem === 'unreachable' || error.problem === 'cancelled') return undefined;
  return { how: 'refused', ending: ended(error.reason, error.message) };
}
