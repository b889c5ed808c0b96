// @ts-check
// Runs the children of the bootstrap, and ends them whenever the bootstrap is told to end or loses its parent.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ancestorsUpToNpm, isAlive } from './ancestors.mjs';
import { SetupFailure } from './failure.mjs';
import { findProgram } from './places.mjs';

/**
 * @typedef {{ code: number, error?: string }} Ended
 * @typedef {Pick<Lifeline, 'run' | 'throwIfStopped'>} Runner what a step of the set-up needs
 */

/** One Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. */
const ECHO_MS = 1000;
const WATCH_MS = 250;

export class Lifeline {
  /** @type {NodeJS.Signals | undefined} */
  stoppedBy;
  #stoppedAtMs = 0;
  #told = 0;
  /** @type {() => void} */
  #tellStopped = () => {};
  /** Resolves with the first reason to end. */
  whenStopped = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    this.#tellStopped = resolve;
  });
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  /** @type {(() => void)[]} */
  #undo = [];

  /**
   * @param {{ env?: NodeJS.ProcessEnv, parent?: number, graceMs?: number, watchMs?: number }} [options]
   *   graceMs: how long the child may take to end in order
   */
  constructor({ env = process.env, parent = process.ppid, graceMs = 20_000, watchMs = WATCH_MS } = {}) {
    this.graceMs = graceMs;
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
      const handler = () => this.stop(signal);
      process.on(signal, handler);
      this.#undo.push(() => process.off(signal, handler));
    }
    const ancestors = ancestorsUpToNpm(parent, env);
    const timer = setInterval(() => {
      if (ancestors.every(isAlive)) return;
      clearInterval(timer);
      this.stop('SIGTERM');
    }, watchMs);
    timer.unref();
    this.#undo.push(() => clearInterval(timer));
  }

  /** Gives the signals their usual meaning back. */
  dispose() {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /**
   * Passes the reason to end on to the child's whole group, once; told a second time, once more; the third time, and
   * graceMs after the first, it is killed.
   * @param {NodeJS.Signals} signal
   */
  stop(signal) {
    const sinceMs = performance.now() - this.#stoppedAtMs;
    if (this.stoppedBy !== undefined && sinceMs < ECHO_MS) return;
    this.#told += 1;
    this.#stoppedAtMs = performance.now();
    this.#signal(this.#told > 2 ? 'SIGKILL' : signal === 'SIGHUP' ? 'SIGTERM' : signal);
    if (this.stoppedBy !== undefined) return;
    this.stoppedBy = signal;
    this.#tellStopped();
    setTimeout(() => this.#signal('SIGKILL'), this.graceMs).unref();
  }

  /** @param {NodeJS.Signals} signal */
  #signal(signal) {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group has ended.
    }
  }

  /** Between two steps: nothing new is begun. */
  throwIfStopped() {
    if (this.stoppedBy !== undefined)
      throw new SetupFailure(`Stopped (${this.stoppedBy}).`, exitCodeOf(this.stoppedBy));
  }

  /**
   * Runs one program to its end: in a session of its own (a Ctrl-C of the terminal reaches us alone, and we pass it on
   * once), told to end by the kernel when we are killed (setpriv --pdeathsig; once for each of our threads).
   * @param {readonly string[]} argv
   * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean, timeoutMs?: number }} [options]
   *   timeoutMs: then the group is told to end, and killed after graceMs
   * @returns {Promise<Ended>} never rejects
   */
  run(argv, { cwd, env = process.env, quiet = false, timeoutMs } = {}) {
    if (this.stoppedBy !== undefined) return Promise.resolve({ code: exitCodeOf(this.stoppedBy) });
    const tied = findProgram('setpriv') === undefined ? [] : ['setpriv', '--pdeathsig', 'TERM', '--'];
    const [program = '', ...args] = [...tied, ...argv];
    return new Promise((resolve) => {
      const child = spawn(program, args, {
        cwd,
        env,
        detached: true,
        stdio: quiet ? 'ignore' : ['ignore', 'inherit', 'inherit'],
      });
      this.#child = child;
      /** @type {NodeJS.Timeout | undefined} */
      let last;
      const deadline =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => {
              console.error(`${argv.join(' ')} did not end within ${timeoutMs / 1000} s and is ended now.`);
              this.#signal('SIGTERM');
              last = setTimeout(() => this.#signal('SIGKILL'), this.graceMs);
            }, timeoutMs);
      /** @param {Ended} ended */
      const end = (ended) => {
        clearTimeout(deadline);
        clearTimeout(last);
        if (this.#child === child) this.#child = undefined;
        resolve(ended);
      };
      child.once('error', (error) => end({ code: 127, error: error.message }));
      child.once('exit', (code, signal) => end({ code: signal ? exitCodeOf(signal) : (code ?? 1) }));
    });
  }
}

/**
 * What a shell says of a program that a signal ended.
 * @param {NodeJS.Signals} signal
 */
export const exitCodeOf = (signal) => 128 + constants.signals[signal];
