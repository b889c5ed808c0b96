import { setTimeout as sleep } from 'node:timers/promises';
import { ProbeCallError } from '@plumbline/probe-rpc';
import { TIMING } from '../timing.js';

/**
 * Calls until the probe is reached, for at most `reachMs` and the call that is out then: a probe that is just restarting is waited for, one that is gone
 * is not.
 * @throws {ProbeCallError} the last failure
 */
export async function reaching<T>(
  work: (deadlineMs: number) => Promise<T>,
  options: { signal?: AbortSignal; callMs?: number } = {},
): Promise<T> {
  const end = Date.now() + TIMING.reachMs;
  // Ends: at the first answer or refusal, when the signal says so, or when reachMs have passed.
  for (;;) {
    try {
      return await work(options.callMs ?? TIMING.answerMs);
    } catch (error) {
      const away = error instanceof ProbeCallError && error.problem === 'unreachable';
      if (!away || options.signal?.aborted || Date.now() + 100 > end) throw error;
      await sleep(100, undefined, options.signal ? { signal: options.signal } : {}).catch(() => undefined);
    }
  }
}
