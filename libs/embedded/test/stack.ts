import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProcess } from '@plumbline/process';
import pg from 'pg';
import { z } from 'zod';

/** A temp folder (0700, root's own when root runs this) that `remove` takes away. */
export function temporary(prefix = 'plumb-embedded-'): { dir: string; remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), prefix));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return z.array(z.record(z.string(), z.unknown())).parse((await client.query(sql)).rows);
  } finally {
    await client.end();
  }
}

/** Sends one inline Redis command and gives the reply's text. Ends with the reply, at most after 5 s. */
export function redis(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => socket.write(`${command}\r\n`));
    socket.setTimeout(5000, () => socket.destroy(new Error('Redis did not reply')));
    socket.once('data', (data) => {
      resolve(data.toString('utf8').trim());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

const Up = z.object({ url: z.string(), redisPath: z.string(), pids: z.array(z.int()).length(2) });

/**
 * Another process that owns a stack in `dir`: killing it is the test. As another user it keeps the one right to read
 * this clone, which may lie in a folder of root's.
 */
export async function ownerOf(
  dir: string,
  user?: { uid: number; gid: number },
): Promise<z.output<typeof Up> & { kill(): Promise<void> }> {
  const become = user
    ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--pdeathsig=KILL']
    : ['env'];
  const keep = user ? ['--inh-caps=-all,+dac_read_search', '--ambient-caps=-all,+dac_read_search'] : [];
  let print: (line: string) => void = () => {};
  const printed = new Promise<string>((resolve) => {
    print = resolve;
  });
  const running = startProcess({
    argv: [
      'env',
      ...become,
      ...keep,
      process.execPath,
      ...['--no-warnings', '--experimental-transform-types', '--conditions=@plumbline/source'],
      fileURLToPath(new URL('owner.mjs', import.meta.url)),
      dir,
    ],
    timeoutMs: 60_000,
    onStdout: (chunk) => print(chunk.toString('utf8')),
  });
  const line = await Promise.race([
    printed,
    running.result.then(({ stderr }) => Promise.reject(new Error(stderr.toString('utf8')))),
  ]);
  return {
    ...Up.parse(JSON.parse(line)),
    async kill() {
      if (running.pid !== null) process.kill(running.pid, 'SIGKILL');
      await running.result;
    },
  };
}

/** Pids whose parent chain starts at `pid`, itself included. */
export function family(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }];
      } catch {
        return [];
      }
    });
  const children = parents.filter(({ parent }) => parent === pid).flatMap((child) => family(child.pid));
  return [pid, ...children];
}

/** Sockets that a process has open, by the kernel's table: how many are TCP or UDP, and how many are of any kind. */
export function socketsOf(pid: number): { internet: number; all: number } {
  const links = (): string[] => readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  let inodes: string[];
  try {
    inodes = links().flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
  } catch {
    // A session that ended meanwhile.
    return { internet: 0, all: 0 };
  }
  const tables = ['tcp', 'tcp6', 'udp', 'udp6']
    .map((table) => readFileSync(`/proc/net/${table}`, 'latin1'))
    .flatMap((text) => text.split('\n').map((line) => line.trim().split(/\s+/)[9]));
  return { internet: inodes.filter((inode) => tables.includes(inode)).length, all: inodes.length };
}

/** Whether it has ended; one that init has not yet buried (a zombie) has. */
export function isGone(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^[ZX]$/.test(stat.slice(stat.lastIndexOf(')') + 2).charAt(0));
  } catch {
    return true;
  }
}
