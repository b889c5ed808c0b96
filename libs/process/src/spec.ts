/** A program to run: no shell, its own process group, never without an end that the caller chose. */
export interface ProcessSpec {
  /** Program and arguments. The program is looked up in PATH (with the sbin folders) unless it holds a slash. */
  argv: readonly [string, ...string[]];
  /** Added to a minimal environment (PATH, HOME, LANG and LC_ALL=C). Secrets are allowed here; nothing here is ever logged. */
  env?: Readonly<Record<string, string>>;
  /** Text for the program's stdin, which is closed after it. Default: /dev/null. */
  stdin?: string;
  /** Leaves stdin open after `stdin`, for `write`. It is closed with the process. Default false. */
  keepStdinOpen?: boolean;
  /** Milliseconds. Absent: runs until it ends or is stopped. On expiry: TERM to the group, after `graceMs` KILL. */
  timeoutMs?: number;
  /** Milliseconds between TERM and KILL. Default 500. */
  graceMs?: number;
  /** Over stdout and stderr together. Default 64 MiB. Past it the process is ended and what came is kept. Infinity: no limit. */
  maxOutputBytes?: number;
  /** `keep` (default) in memory, or straight to files (made or truncated, mode 0600); the result's buffers are then empty. */
  output?: 'keep' | { stdoutFile: string; stderrFile?: string };
  onStdout?: (chunk: Buffer) => void;
  onStderr?: (chunk: Buffer) => void;
  /** Aborting ends the process: outcome `aborted`. */
  signal?: AbortSignal;
  cwd?: string;
  uid?: number;
  gid?: number;
  /**
   * Starts as a shell that waits already (`keepShellsWaiting`), where there is one: the caller is then not held up by fork(2).
   * Only without stdin, cwd, uid and gid of its own, and with both outputs read by us.
   */
  atOnce?: true;
  /** Says it in the call: no child outlives its parent (`setpriv --pdeathsig KILL`, prctl(2) PR_SET_PDEATHSIG). */
  outlivesParent?: false;
}

/** How a process ended. The first cause wins: a process that times out and is then stopped has timed out. */
export interface ProcessResult {
  outcome: 'exited' | 'timed-out' | 'aborted' | 'output-too-large' | 'not-started';
  exitCode: number | null;
  signal: string | null;
  stdout: Buffer;
  stderr: Buffer;
  /** Why it was not started, or what went wrong while it was ended. */
  error?: string;
  pid: number | null;
  startedAt: Date;
  endedAt: Date;
  /** On the monotonic clock, from just before the start to the end of its process group. */
  durationMs: number;
  /** CPU time of the program and the children it waited for, in steps of 10 ms (proc(5) cutime). Absent: not known. */
  cpuUserUs?: number;
  cpuSystemUs?: number;
}

export interface RunningProcess {
  readonly pid: number | null;
  /** Never rejects. */
  readonly result: Promise<ProcessResult>;
  /** Writes to a stdin that was kept open; does nothing when the process is gone. */
  write(text: string): void;
  /** TERM to the group, after `graceMs` KILL; outcome `aborted` unless another cause came first. */
  stop(graceMs?: number): Promise<ProcessResult>;
}
