import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { beginCpuAccounting, type CpuTime, cpuTimeOfReaped } from './cpu-time.js';
import { findProgram, minimalEnvironment } from './environment.js';
import { liveMembers, signalGroup } from './identity.js';
import { type OutputSink, openOutput, type Stream } from './output.js';
import type { ProcessResult, ProcessSpec, RunningProcess } from './spec.js';
import { becomeProgram, refillLater, refillSoon } from './waiting-shells.js';

const GRACE_MS = 500;
/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** After KILL a process may still be stuck in the kernel (state D); we say so rather than wait for ever. */
const AFTER_KILL_MS = 2000;
/** Silence on the pipes after the group's death that tells that only strangers hold them. */
const DRAIN_TICK_MS = 40;
const DRAIN_QUIET_TICKS = 5;
const DRAIN_LONGEST_MS = 5000;

type Cause = Exclude<ProcessResult['outcome'], 'exited' | 'not-started'>;
type Ended = Partial<ProcessResult> & Pick<ProcessResult, 'outcome'>;
type Exit = { code: number | null; signal: string | null };

/** Groups that live now: ended when this process exits in an orderly way (death by signal is pdeathsig's part). */
const living = new Set<number>();
process.on('exit', () => {
  for (const group of living) signalGroup(group, 'SIGKILL');
});

/**
 * Starts a program in its own session and process group, to be killed by the kernel when our main thread dies
 * (setpriv(1) --pdeathsig, and setpriv executes into the program: the pid is the program's). Start it from the main
 * thread only: the kernel looks at the parent thread. The kernel forgets the death signal when the program gains rights
 * by executing (set-user-ID, file capabilities; prctl(2)): what may be left then is for `endOrphans`.
 * Never throws and never rejects: a missing program is the outcome `not-started`.
 */
export function startProcess(spec: ProcessSpec): RunningProcess {
  const startedAt = new Date();
  const startMs = performance.now();
  const finishWith = (part: Ended): ProcessResult => ({
    exitCode: null,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: Buffer.alloc(0),
    pid: null,
    startedAt,
    endedAt: new Date(),
    durationMs: performance.now() - startMs,
    ...part,
  });
  const without = (outcome: 'not-started' | 'aborted', error: string): RunningProcess => {
    const result = Promise.resolve(finishWith({ outcome, error }));
    return { pid: null, result, write: () => {}, stop: () => result };
  };
  const notStarted = (error: string): RunningProcess => without('not-started', error);
  const env = minimalEnvironment(spec.env);
  const program = findProgram(spec.argv[0], env.PATH);
  if (program === undefined) return notStarted(`${spec.argv[0]} is not installed here, or may not be executed`);
  if (findProgram('setpriv') === undefined) return notStarted('setpriv is not installed here; install util-linux');
  if (spec.signal?.aborted) return without('aborted', 'it was cancelled before it started');
  try {
    const run = new Run(spec, program, env);
    const result = run.done.then(finishWith);
    const stop = (graceMs?: number): Promise<ProcessResult> => {
      run.end('aborted', graceMs);
      return result;
    };
    return { pid: run.pid, result, stop, write: (text) => run.write(text) };
  } catch (error) {
    return notStarted(error instanceof Error ? error.message : String(error));
  }
}

/** Runs a program to its end. Give it a `timeoutMs` or a `signal`: without either it may run for ever. */
export function runProcess(spec: ProcessSpec): Promise<ProcessResult> {
  return startProcess(spec).result;
}

class Run {
  readonly pid: number | null;
  #cause: Cause | undefined;
  #spawnError: string | undefined;
  #outputError: string | undefined;
  #exited = false;
  #giveUp: () => void = () => {};
  readonly #stuck = new Promise<undefined>((resolve) => {
    this.#giveUp = () => resolve(undefined);
  });
  readonly #child: ChildProcess;
  readonly #output: OutputSink;
  readonly #exit: Promise<Exit>;
  readonly #closed: Promise<true>;
  readonly #cpu: Promise<CpuTime | undefined>;
  /** Never rejects. */
  readonly done: Promise<Ended>;

  constructor(
    private readonly spec: ProcessSpec,
    program: string,
    env: Record<string, string>,
  ) {
    beginCpuAccounting();
    this.#output = openOutput(spec, () => this.end('output-too-large'));
    const { stdout, stderr } = this.#output.stdio;
    try {
      refillLater();
      const piped = stdout === 'pipe' && stderr === 'pipe';
      const ready = spec.atOnce && piped ? becomeProgram(program, spec.argv.slice(1), spec.env ?? {}) : undefined;
      this.#child =
        ready ??
        spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...spec.argv.slice(1)], {
          env,
          cwd: spec.cwd,
          uid: spec.uid,
          gid: spec.gid,
          detached: true,
          stdio: [spec.stdin === undefined && !spec.keepStdinOpen ? 'ignore' : 'pipe', stdout, stderr],
        });
    } catch (error) {
      this.#output.finish();
      throw error;
    }
    this.pid = this.#child.pid ?? null;
    if (this.pid !== null) living.add(this.pid);
    let tellCpu: (time: ReturnType<typeof cpuTimeOfReaped> | undefined) => void = () => {};
    this.#cpu = new Promise((resolve) => {
      tellCpu = resolve;
    });
    this.#exit = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#exited = true;
        tellCpu(cpuTimeOfReaped());
        resolve({ code, signal });
      });
      this.#child.once('error', (error) => {
        this.#spawnError = error.message;
        tellCpu(undefined);
        resolve({ code: null, signal: null });
      });
    });
    this.#closed = new Promise((resolve) => this.#child.once('close', () => resolve(true)));
    this.#connect();
    this.done = this.#finish();
  }

  #connect(): void {
    const { stdout, stderr, stdin } = this.#child;
    stdout?.on('data', (chunk: Buffer) => this.#accept('stdout', chunk));
    stderr?.on('data', (chunk: Buffer) => this.#accept('stderr', chunk));
    // A child that closes its stdin early is no failure of ours (EPIPE).
    for (const stream of [stdout, stderr, stdin]) stream?.on('error', () => {});
    if (this.spec.stdin !== undefined) stdin?.write(this.spec.stdin);
    if (!this.spec.keepStdinOpen) stdin?.end();
  }

  write(text: string): void {
    const { stdin } = this.#child;
    if (stdin && !this.#exited && !stdin.destroyed) stdin.write(text);
  }

  #accept(stream: Stream, chunk: Buffer): void {
    try {
      this.#output.accept(stream, chunk);
    } catch (error) {
      // The disk is full, or the listener failed: what came is kept, and nothing more can be.
      this.#outputError ??= error instanceof Error ? error.message : String(error);
      this.end('output-too-large');
    }
  }

  /** Ends the group once; later causes change nothing. */
  end(cause: Cause, graceMs = this.spec.graceMs ?? GRACE_MS): void {
    const comesTooLate = this.#exited && cause !== 'output-too-large';
    if (this.#cause !== undefined || this.pid === null || comesTooLate) return;
    this.#cause = cause;
    if (!this.#exited) void this.#endGroup(this.pid, graceMs);
  }

  async #endGroup(group: number, graceMs: number): Promise<void> {
    signalGroup(group, 'SIGTERM');
    // Ends with the leader, at the latest after graceMs.
    if (await within(this.#exit, graceMs)) return;
    signalGroup(group, 'SIGKILL');
    if (!(await within(this.#exit, AFTER_KILL_MS))) this.#giveUp();
  }

  async #finish(): Promise<Ended> {
    const { spec } = this;
    const onAbort = (): void => this.end('aborted');
    spec.signal?.addEventListener('abort', onAbort, { once: true });
    const timer =
      spec.timeoutMs === undefined
        ? undefined
        : setTimeout(() => this.end('timed-out'), Math.min(spec.timeoutMs, LONGEST_TIMER_MS));
    // Waits as long as the caller chose; undefined when the kernel would not let go of the process.
    const exit = await Promise.race([this.#exit, this.#stuck]);
    clearTimeout(timer);
    spec.signal?.removeEventListener('abort', onAbort);
    if (this.pid !== null) await this.#clearGroup(this.pid);
    if (this.#spawnError === undefined) await this.#drain();
    for (const stream of this.#child.stdio) stream?.destroy();
    const { stdout, stderr } = this.#output.finish();
    if (this.#spawnError !== undefined) return { outcome: 'not-started', error: this.#spawnError };
    const cpu = exit && (await this.#cpu);
    const failedExec = this.#cause === undefined && executionFailure(exit, stderr);
    if (failedExec) return { outcome: 'not-started', error: failedExec, pid: this.pid };
    return {
      outcome: this.#cause ?? 'exited',
      exitCode: exit?.code ?? null,
      signal: exit?.signal ?? null,
      stdout,
      stderr,
      pid: this.pid,
      error: exit ? this.#outputError : 'the process did not end after SIGKILL; the kernel holds it',
      ...(cpu ? { cpuUserUs: cpu.userUs, cpuSystemUs: cpu.systemUs } : {}),
    };
  }

  /** Whatever the leader left in its group goes with it. Ends when the group is empty, at the latest after AFTER_KILL_MS. */
  async #clearGroup(group: number): Promise<void> {
    const until = performance.now() + AFTER_KILL_MS;
    while (signalGroup(group, 'SIGKILL') && performance.now() < until && liveMembers(group).length > 0) await delay(5);
    living.delete(group);
    if (living.size === 0) refillSoon();
  }

  /**
   * Reads what is still in the pipes. Ends when they close; when a process that left the group holds them open, after
   * DRAIN_QUIET_TICKS turns of the event loop without a byte, at the latest after DRAIN_LONGEST_MS.
   */
  async #drain(): Promise<void> {
    const until = performance.now() + DRAIN_LONGEST_MS;
    for (let quiet = 0; quiet < DRAIN_QUIET_TICKS && performance.now() < until; ) {
      const before = this.#output.bytesSeen;
      if (await within(this.#closed, DRAIN_TICK_MS)) return;
      quiet = this.#output.bytesSeen === before ? quiet + 1 : 0;
    }
  }
}

/** setpriv(1) and sh(1) end with 126 or 127 and such a line when they cannot execute the program. */
function executionFailure(exit: Exit | undefined, stderr: Buffer): string | undefined {
  if (exit?.code !== 126 && exit?.code !== 127) return undefined;
  const line = /^(?:setpriv: |sh: \d+: exec: )(failed to execute .*|.*: (?:not found|Permission denied))$/m.exec(
    stderr.toString('latin1'),
  );
  return line?.[1];
}

/** Whether the promise settles within that time. Leaves no timer behind. */
async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const stop = new AbortController();
  const late = delay(ms, false, { signal: stop.signal }).catch(() => false);
  const first = await Promise.race([promise.then(() => true), late]);
  stop.abort();
  return first;
}
