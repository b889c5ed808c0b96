import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identifyProcess, isAlive, type ProcessIdentity, type ProcessResult, startProcess } from '@plumbline/process';
import { PLUMB } from '@plumbline/testing';

/** A `plumb` that runs as a process of its own, as a user has it. */
export interface Plumb {
  readonly pid: number;
  readonly result: Promise<ProcessResult>;
  /** Everything it wrote until now, both streams. */
  said(): string;
  /** @throws {Error} with what it said when it ends, or does not say it within `withinMs` */
  untilSaid(pattern: RegExp, withinMs?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
}

const living = new Set<Plumb>();

/** @param through programs to put before it (setpriv) */
export function startPlumb(
  argv: readonly string[],
  { env = {}, through = [], cwd }: { env?: Record<string, string>; through?: readonly string[]; cwd?: string } = {},
): Plumb {
  let text = '';
  const keep = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
  };
  const [program = PLUMB, ...rest] = [...through, PLUMB, ...argv];
  const running = startProcess({ argv: [program, ...rest], env, cwd, onStdout: keep, onStderr: keep });
  const { pid } = running;
  if (pid === null) throw new Error(`${PLUMB} is not there; build first: npm run build`);
  let over = false;
  const result = running.result.finally(() => {
    over = true;
    living.delete(plumb);
  });
  const plumb: Plumb = {
    pid,
    result,
    said: () => text,
    untilSaid: (pattern, withinMs = 120_000) =>
      until(() => {
        if (pattern.test(text)) return true;
        if (over) throw new Error(`it ended without saying ${pattern}:\n${text}`);
        return false;
      }, withinMs).catch((error: unknown) => {
        throw new Error(`it did not say ${pattern}:\n${text}`, { cause: error });
      }),
    kill: (signal) => process.kill(pid, signal),
  };
  living.add(plumb);
  return plumb;
}

/** For afterEach: ends what a failed test left. */
export async function endAll(): Promise<void> {
  const left = [...living];
  for (const plumb of left) plumb.kill('SIGKILL');
  await Promise.all(left.map((plumb) => plumb.result));
}

/** Ends when `holds`, at the latest after `withinMs`. @throws {Error} then */
export async function until(holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms`);
    await delay(50);
  }
}

/** Every process below `pid`, by pid and start time. */
export function descendants(pid: number): ProcessIdentity[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It has ended meanwhile.
    }
  }
  const below = (one: number): number[] => (children.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid)
    .map((each) => identifyProcess(each))
    .filter((identity) => identity !== undefined);
}

/** @throws {Error} when one of them lives on */
export const untilGone = (processes: readonly ProcessIdentity[]): Promise<void> =>
  until(() => !processes.some(isAlive), 10_000);
