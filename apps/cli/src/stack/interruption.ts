import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { EXIT } from '../failure.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type EndSignal = (typeof SIGNALS)[number];

/** One Ctrl-C arrives several times: from the terminal, and from npm, which passes it on. */
const ECHO_MS = 1000;

export interface Interruption extends Disposable {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
}

/**
 * Turns the first signal into an abort, so that everything is stopped in order; a later one ends the process at once
 * (our children die with us: libs/process). Disposing gives the signals back their usual meaning.
 */
export function onInterruption(told: (why: EndSignal) => void = () => {}): Interruption {
  const controller = new AbortController();
  let firstMs = 0;
  const tell = (why: EndSignal): void => {
    if (controller.signal.aborted) {
      if (performance.now() - firstMs > ECHO_MS) process.exit(EXIT.interrupted);
      return;
    }
    firstMs = performance.now();
    controller.abort(why);
    told(why);
  };
  // nohup(1) works by ignoring SIGHUP; a handler would undo it.
  const handlers = SIGNALS.filter((name) => !isIgnored(name)).map((name) => [name, () => tell(name)] as const);
  for (const [name, handler] of handlers) process.on(name, handler);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const [name, handler] of handlers) process.off(name, handler);
    },
  };
}

function isIgnored(name: EndSignal): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
    return mask !== undefined && (BigInt(`0x${mask}`) & (1n << BigInt(constants.signals[name] - 1))) !== 0n;
  } catch {
    return false;
  }
}

/** Resolves when the signal aborts: who waits for it has said how that happens. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
