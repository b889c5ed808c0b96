import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  endOrphans,
  identifyProcess,
  isAlive,
  ProcessIdentity,
  type RunningProcess,
  startProcess,
} from '@plumbline/process';
import { z } from 'zod';
import type { Account } from './account.js';
import { BoundedLog } from './bounded-log.js';
import { EmbeddedError } from './fault.js';
import { privateFolder, writeWhole } from './folder.js';
import { removeShortcut } from './socket-path.js';

/** What a later life must know of this one when it was killed. */
const ServerRecord = z.object({
  /** Who started the server; while it lives the server is in use. */
  owner: ProcessIdentity,
  server: ProcessIdentity,
  shortcut: z.string().optional(),
});
type ServerRecord = z.output<typeof ServerRecord>;

export interface ServerSpec {
  name: 'postgres' | 'redis';
  /** The data folder of the stack. */
  dir: string;
  /** The server starts here; its own arguments are relative, so that it needs no right on the folders above. */
  cwd: string;
  account: Account;
  /** From `cwd`. Held by the server itself, and by what it leaves behind (flock(1), flock(2)). */
  lockFile: string;
  argv: readonly [string, ...string[]];
  shortcut?: string;
  /** Whether the server with that pid (and no other) answers; asked again and again until it does. */
  ready: (pid: number) => Promise<boolean>;
  /** Ends in good order; after `stopMs` it is killed. */
  stopSignal: NodeJS.Signals;
  stopMs: number;
}

export interface RunningServer {
  readonly pid: number;
  /** Resolves with a sentence when the server ended by itself; with undefined when it was stopped. Never rejects. */
  readonly exited: Promise<string | undefined>;
  /** Ends it and waits until it is gone. May be called again. */
  stop(): Promise<void>;
}

/** Recovery of a large log after a kill takes a while; nothing takes this long. */
const LONGEST_START_MS = 60_000;
const POLL_MS = 15;
/** Seconds that the lock is waited for: what a killed server left behind ends in milliseconds. */
const LOCK_WAIT_S = 5;
const LOCK_CONFLICT = 75;

const recordFile = (dir: string, name: string): string => join(dir, `${name}.json`);

/**
 * Ends what a killed start left of this server.
 * @returns the shortcut to use again, when the server of this very process ended by itself: its clients know that name
 * @throws EmbeddedError data-dir-in-use when the one that started it lives
 */
export async function recoverServer(dir: string, name: ServerSpec['name']): Promise<string | undefined> {
  const record = readRecord(recordFile(dir, name));
  if (!record) return undefined;
  const ownEnded = record.owner.pid === process.pid && isAlive(record.owner) && !isAlive(record.server);
  if (ownEnded) return record.shortcut;
  if (isAlive(record.owner)) {
    throw new EmbeddedError(
      'data-dir-in-use',
      `Process ${record.owner.pid} uses the ${name} in ${dir}. Stop it, or name another --data-dir.`,
    );
  }
  await endOrphans([record.server]);
  removeShortcut(record.shortcut);
  rmSync(recordFile(dir, name), { force: true });
  return undefined;
}

function readRecord(file: string): ServerRecord | undefined {
  try {
    return ServerRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Missing, or cut off by a crash: the lock and the server's own pid file still guard the folder.
    return undefined;
  }
}

/** Starts a server that dies with us (libs/process) and waits until it answers, at most LONGEST_START_MS. */
export async function startServer(spec: ServerSpec): Promise<RunningServer> {
  const log = new BoundedLog(join(privateFolder(join(spec.dir, 'log')), `${spec.name}.log`));
  const lock = ['--no-fork', '--wait', String(LOCK_WAIT_S), '--conflict-exit-code', String(LOCK_CONFLICT)];
  const running = startProcess({
    argv: ['flock', ...lock, spec.lockFile, ...spec.argv],
    cwd: spec.cwd,
    ...spec.account,
    // Nothing is kept in memory or in the files named here: every chunk goes to the bounded log.
    output: { stdoutFile: '/dev/null', stderrFile: '/dev/null' },
    maxOutputBytes: Number.POSITIVE_INFINITY,
    onStdout: (chunk) => log.append(chunk),
    onStderr: (chunk) => log.append(chunk),
  });
  try {
    const pid = await untilReady(spec, running, log);
    return handle(spec, running, pid, log);
  } catch (error) {
    await running.stop();
    forget(spec);
    throw error;
  }
}

async function untilReady(spec: ServerSpec, running: RunningProcess, log: BoundedLog): Promise<number> {
  let ended: EmbeddedError | undefined;
  void running.result.then(({ outcome, exitCode, signal, error }) => {
    const how = error ?? (exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`);
    ended =
      exitCode === LOCK_CONFLICT
        ? new EmbeddedError(
            'data-dir-in-use',
            `Another ${spec.name} runs in ${spec.dir}. Stop it, or name another --data-dir.`,
          )
        : new EmbeddedError(
            outcome === 'not-started' ? 'program-missing' : 'server-not-started',
            `${spec.name} did not start (${how}). ${log.file} says: ${log.lastLines(3) || 'nothing'}`,
          );
  });
  const { pid } = running;
  const self = identifyProcess(process.pid);
  const server = pid === null ? undefined : identifyProcess(pid);
  if (self && server) {
    const record: ServerRecord = { owner: self, server, shortcut: spec.shortcut };
    writeWhole(recordFile(spec.dir, spec.name), `${JSON.stringify(record)}\n`);
  }
  const until = performance.now() + LONGEST_START_MS;
  // Ends when the server answers or has ended, at the latest after LONGEST_START_MS.
  while (performance.now() < until) {
    if (pid !== null && (await spec.ready(pid))) return pid;
    if (ended) throw ended;
    await delay(POLL_MS);
  }
  throw new EmbeddedError(
    'server-not-started',
    `${spec.name} did not answer within ${LONGEST_START_MS / 1000} s. ${log.file} says: ${log.lastLines(3)}`,
  );
}

function handle(spec: ServerSpec, running: RunningProcess, pid: number, log: BoundedLog): RunningServer {
  let stopping: Promise<void> | undefined;
  const exited = running.result.then(({ exitCode, signal }) => {
    // Its record stays until it is stopped or started again: the same names must serve then.
    if (stopping) return undefined;
    const how = exitCode === null ? `signal ${signal}` : `exit code ${exitCode}`;
    return `${spec.name} ended by itself (${how}). ${log.file} says: ${log.lastLines(3)}`;
  });
  return {
    pid,
    exited,
    stop() {
      stopping ??= end(spec, running, pid, log);
      return stopping;
    },
  };
}

async function end(spec: ServerSpec, running: RunningProcess, pid: number, log: BoundedLog): Promise<void> {
  let gone = false;
  const result = running.result.then(() => {
    gone = true;
  });
  try {
    process.kill(pid, spec.stopSignal);
  } catch {
    // It has ended already.
  }
  const late = new AbortController();
  // Ends with the server, at the latest after stopMs.
  await Promise.race([result, delay(spec.stopMs, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  if (!gone) {
    log.append(Buffer.from(`Plumbline: ${spec.name} did not stop within ${spec.stopMs / 1000} s and is ended now\n`));
    await running.stop();
  }
  forget(spec);
}

function forget(spec: ServerSpec): void {
  removeShortcut(spec.shortcut);
  rmSync(recordFile(spec.dir, spec.name), { force: true });
}
