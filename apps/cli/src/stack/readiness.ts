import { setTimeout as delay } from 'node:timers/promises';

const ASK_EVERY_MS = 50;
const ANSWER_WITHIN_MS = 2000;

/**
 * Waits until GET /readyz says yes.
 * @returns undefined when it is ready, else what it said last
 */
export async function untilReady(
  url: string,
  ask: typeof fetch,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<string | undefined> {
  const until = performance.now() + withinMs;
  let last = 'it did not answer';
  // Ends when it is ready, when somebody wants it to end, or after `withinMs`.
  while (!signal.aborted && performance.now() < until) {
    try {
      const answer = await ask(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      const text = await answer.text();
      if (answer.ok) return undefined;
      last = `status ${answer.status} ${text}`;
    } catch (error) {
      last = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    }
    await delay(ASK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return last;
}
