import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runProcess } from '@plumbline/process';
import type { Account } from './account.js';
import { EmbeddedError } from './fault.js';
import { privateFolder } from './folder.js';

const INITDB_LONGEST_MS = 60_000;
export const SUPERUSER = 'postgres';
/** The kernel leads this to the process's working folder without asking for a right on the folders above it (proc(5)). */
export const HERE = '/proc/self/cwd';

/** Makes the cluster under another name and renames it, so that a start killed in between begins anew. */
export async function initialise(home: string, data: string, programs: string, account: Account): Promise<void> {
  const draft = join(home, 'data.new');
  rmSync(draft, { recursive: true, force: true });
  privateFolder(draft, account);
  const { outcome, exitCode, error, stderr } = await runProcess({
    argv: [
      join(programs, 'bin', 'initdb'),
      ...['-D', HERE, '-U', SUPERUSER, '--encoding=UTF8', '--no-locale', '--no-instructions'],
      // The 0700 folder of the socket is the gate.
      ...['--auth-local=trust', '--auth-host=reject'],
    ],
    cwd: draft,
    ...account,
    timeoutMs: INITDB_LONGEST_MS,
  });
  if (outcome !== 'exited' || exitCode !== 0) {
    const said = stderr.toString('utf8').trim().split('\n').slice(-3).join(' | ');
    throw new EmbeddedError('server-not-started', `initdb failed in ${draft} (${error ?? outcome}): ${said}`);
  }
  rmSync(data, { recursive: true, force: true });
  renameSync(draft, data);
}

export async function checkVersion(data: string, programs: string, account: Account): Promise<void> {
  const made = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  const { stdout } = await runProcess({
    argv: [join(programs, 'bin', 'postgres'), '--version'],
    ...account,
    cwd: '/',
    timeoutMs: 10_000,
  });
  const here = /\(PostgreSQL\) (\d+)/.exec(stdout.toString('utf8'))?.[1];
  if (here === made || here === undefined) return;
  throw new EmbeddedError(
    'database-version',
    `${data} was made by PostgreSQL ${made}, and this Plumbline brings ${here}. Use the Plumbline that made it, or name another --data-dir.`,
  );
}

/**
 * Makes the folder of a killed server fit to start in: its sessions ended, its postmaster.pid gone. That pid may by now
 * be another process of the same user, and then PostgreSQL would not start; a process of this folder's is told by its
 * working folder and its program.
 * @throws EmbeddedError data-dir-in-use when a postmaster runs here that is not ours to end
 */
export async function clearStaleServer(data: string, socket: string): Promise<void> {
  const pid = readPidFile(data)?.pid;
  // The kernel kills it with the one that started it.
  if (pid !== undefined && !(await gone(() => worksIn(pid, data), 5000))) {
    throw new EmbeddedError(
      'data-dir-in-use',
      `A PostgreSQL (process ${pid}) that this Plumbline did not start runs in ${data}. Stop it, or name another --data-dir.`,
    );
  }
  // A session sees that its postmaster died when it next waits; in the middle of a long query that may take for ever.
  const left = (): number[] => processesIn(data);
  if (!(await gone(() => left().length > 0, 1000))) {
    for (const session of left()) endSession(session);
    await gone(() => left().length > 0, 2000);
  }
  // The socket's own lock names the same pid.
  for (const file of [join(data, 'postmaster.pid'), join(data, '..', socket), join(data, '..', `${socket}.lock`)]) {
    rmSync(file, { force: true });
  }
}

/** Waits until it is no longer so, at most that long. */
async function gone(isThere: () => boolean, longestMs: number): Promise<boolean> {
  const until = performance.now() + longestMs;
  // Ends when it is gone, at the latest after longestMs.
  while (isThere()) {
    if (performance.now() > until) return false;
    await delay(20);
  }
  return true;
}

const processesIn = (folder: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && worksIn(pid, folder));

function endSession(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** Lines 1 (pid) and 8 (status) of postmaster.pid (PostgreSQL, src/include/utils/pidfile.h). */
export function readPidFile(data: string): { pid: number; status: string | undefined } | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 1 ? { pid, status: lines[7]?.trim() } : undefined;
  } catch {
    return undefined;
  }
}

/** A postgres whose working folder is this one; not, say, a shell of somebody who looks around there. */
function worksIn(pid: number, folder: string): boolean {
  try {
    const program = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '');
    return readlinkSync(`/proc/${pid}/cwd`) === folder && program.endsWith('/bin/postgres');
  } catch {
    // Gone, or another user's: not a server of ours.
    return false;
  }
}
