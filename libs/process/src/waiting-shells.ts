import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { minimalEnvironment } from './environment.js';

/** Long enough after the last program for whoever waited for it to be served first. */
const REFILL_AFTER_MS = 300;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const waiting: ChildProcessWithoutNullStreams[] = [];
let wanted = 0;
let refilling: NodeJS.Timeout | undefined;

/**
 * Keeps so many shells ready to become a program. fork(2) copies the page tables of its caller, 10 to 40 ms of a large
 * process on a small host, and the caller can do nothing meanwhile: so the fork is made beforehand, while nobody waits. They end
 * with this process, whichever way, and do not keep it alive.
 */
export function keepShellsWaiting(count: number): void {
  wanted = count;
  // Ends when no more wait than are wanted: a shell whose stdin ends does so too.
  while (waiting.length > wanted) waiting.pop()?.stdin.end();
  refill();
}

/** Puts new shells into the place of those that were taken, a little later. Call it when no program runs. */
export function refillSoon(): void {
  if (wanted === 0 || refilling) return;
  refilling = setTimeout(() => {
    refilling = undefined;
    refill();
  }, REFILL_AFTER_MS).unref();
}

/** Postpones that: a program is being started. */
export function refillLater(): void {
  clearTimeout(refilling);
  refilling = undefined;
}

/**
 * Lets a waiting shell become the program: same pid, same group, stdin from /dev/null.
 * @param program the file to execute
 * @param extra environment added to the minimal one; it travels through a pipe, never through argv
 * @returns undefined when none waits, or when a shell could not say this exactly
 */
export function becomeProgram(
  program: string,
  args: readonly string[],
  extra: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams | undefined {
  const words = [program, ...args, ...Object.values(extra)];
  if (words.some((word) => word.includes('\0')) || !Object.keys(extra).every((name) => NAME.test(name)))
    return undefined;
  const shell = waiting.shift();
  if (!shell) return undefined;
  shell.removeAllListeners('exit').removeAllListeners('error');
  hold(shell, true);
  const exported = Object.entries(extra).map(([name, value]) => `export ${name}=${quoted(value)}; `);
  shell.stdin.on('error', () => {});
  shell.stdin.end(`${exported.join('')}exec ${[program, ...args].map(quoted).join(' ')} </dev/null\n`);
  return shell;
}

/** For sh(1): between single quotes nothing has a meaning but the closing one. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Ends when enough wait, or with the first that could not be started. */
function refill(): void {
  while (waiting.length < wanted) {
    const shell = spawn('setpriv', ['--pdeathsig', 'KILL', '--', 'sh'], {
      env: minimalEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const gone = (): void => {
      const at = waiting.indexOf(shell);
      if (at >= 0) waiting.splice(at, 1);
    };
    shell.once('exit', gone);
    shell.once('error', () => {
      // Without setpriv nothing can be started, and startProcess says so.
      wanted = 0;
      gone();
    });
    hold(shell, false);
    waiting.push(shell);
  }
}

/** Whether the event loop stays alive for it. */
function hold(shell: ChildProcessWithoutNullStreams, held: boolean): void {
  const how = held ? 'ref' : 'unref';
  shell[how]();
  for (const stream of [shell.stdin, shell.stdout, shell.stderr]) if (stream instanceof Socket) stream[how]();
}
