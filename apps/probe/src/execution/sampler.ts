import { closeSync, openSync, writeSync } from 'node:fs';
import { type SocketFilter, ssArgv } from '@plumbline/measure';
import { type RunningProcess, startProcess } from '@plumbline/process';

const EVERY_MS = 250;
/** To start a child costs us about 15 ms: not while the test's own program is being started, and still well before the first reading. */
const LOOP_AFTER_MS = 120;
/** A reading that has not come after this long is given up, and with it the loop. */
const STUCK_MS = 5000;
/** One event must stay well below the largest message. About 250 sockets. */
const TEXT_MAX_BYTES = 200 * 1024;

/**
 * Runs the command that follows it once for each line of its stdin, and prints a mark after each. A child of ours would cost a
 * copy of our page tables and a start of setpriv every time, twice of what ss itself takes; a small shell's child costs neither.
 */
const LOOP = `while read -r _; do "$@"; printf '\\036\\n'; done`;
const MARK = '\u001e\n';

export interface Sampler {
  /** Ends it, once however often it is called. @returns whether there was any sample */
  stop(): Promise<boolean>;
}

/**
 * Reads the test's own sockets with ss every 250 ms, the kernel choosing them by the filter, until it is stopped. Readings never
 * overlap; a host that is too busy gets fewer. Moments without such a socket are no samples.
 * @param options.startedAtMs when the phase's program started, on the monotonic clock
 */
export function startSampler(options: {
  readonly filter: SocketFilter;
  readonly file: string;
  readonly startedAtMs: number;
  readonly onSample: (text: string, elapsedMs: number) => void;
}): Sampler {
  const descriptor = openSync(options.file, 'w', 0o600);
  let [some, stopped] = [false, false];
  let askedAtMs: number | undefined;
  let pending = '';
  const take = (text: string): void => {
    askedAtMs = undefined;
    if (stopped || text.trim() === '') return;
    const sample = {
      elapsedMs: Math.round(performance.now() - options.startedAtMs),
      text: text.slice(0, TEXT_MAX_BYTES),
    };
    some = true;
    writeSync(descriptor, `${JSON.stringify(sample)}\n`);
    options.onSample(sample.text, sample.elapsedMs);
  };
  let loop: RunningProcess | undefined;
  const startLoop = (): RunningProcess =>
    startProcess({
      argv: ['sh', '-c', LOOP, 'ss-loop', ...ssArgv(options.filter)],
      keepStdinOpen: true,
      graceMs: 100,
      maxOutputBytes: Number.POSITIVE_INFINITY,
      output: { stdoutFile: '/dev/null' },
      onStdout: (chunk) => {
        pending += chunk.toString('utf8');
        // Ends with the last whole reading of what has come.
        for (let end = pending.indexOf(MARK); end >= 0; end = pending.indexOf(MARK)) {
          take(pending.slice(0, end));
          pending = pending.slice(end + MARK.length);
        }
      },
    });
  const starting = setTimeout(() => {
    loop = startLoop();
  }, LOOP_AFTER_MS);
  const timer = setInterval(() => {
    const now = performance.now();
    if (askedAtMs !== undefined && now - askedAtMs > STUCK_MS) void loop?.stop();
    if (askedAtMs !== undefined || loop === undefined) return;
    askedAtMs = now;
    loop.write('\n');
  }, EVERY_MS);
  const end = async (): Promise<boolean> => {
    stopped = true;
    clearTimeout(starting);
    clearInterval(timer);
    await loop?.stop();
    closeSync(descriptor);
    return some;
  };
  let ending: Promise<boolean> | undefined;
  return {
    stop() {
      ending ??= end();
      return ending;
    },
  };
}
