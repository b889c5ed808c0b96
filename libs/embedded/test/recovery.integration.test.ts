import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startProcess } from '@plumbline/process';
import { afterEach, expect, test } from 'vitest';
import { startPostgres, startRedis, withDataDir } from '../src/index.js';
import { family, isGone, ownerOf, query, redis, temporary } from './stack.js';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});
function place(): string {
  const { dir, remove } = temporary();
  cleanups.push(remove);
  return dir;
}

test('the servers of an owner killed with SIGKILL are gone, and the next start has what was committed', async () => {
  const dir = place();
  // Twice: recovery itself leaves a folder that recovers.
  for (const round of [1, 2]) {
    const owner = await ownerOf(dir);
    const members = owner.pids.flatMap((pid) => family(pid));
    await query(owner.url, 'CREATE TABLE IF NOT EXISTS kept (n int)');
    await query(owner.url, `INSERT INTO kept VALUES (${round})`);
    await redis(owner.redisPath, `SET round ${round}`);
    await redis(owner.redisPath, 'WAITAOF 0 0 0');
    await owner.kill();
    const until = performance.now() + 5000;
    while (members.some((pid) => !isGone(pid)) && performance.now() < until) await delay(10);
    expect(members.filter((pid) => !isGone(pid))).toEqual([]);
    expect(existsSync(join(dir, 'postgres/data/postmaster.pid'))).toBe(true);
    expect(existsSync(join(dir, 'stack.json'))).toBe(true);
  }
  await using held = await withDataDir(dir);
  const [postgres, queue] = await Promise.all([startPostgres({ dir: held.dir }), startRedis({ dir: held.dir })]);
  try {
    expect(await query(postgres.url, 'SELECT n FROM kept ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await redis(queue.path, 'PING')).toBe('+PONG');
  } finally {
    await Promise.all([postgres.stop(), queue.stop()]);
  }
});

test('a start right after the kill waits for what is left instead of complaining', async () => {
  const dir = place();
  const owner = await ownerOf(dir);
  const dying = owner.kill();
  await using held = await withDataDir(dir).catch(async () => {
    // The kill had not reached it yet: a live owner is refused, which the next test asserts.
    await dying;
    return withDataDir(dir);
  });
  const [postgres, queue] = await Promise.all([startPostgres({ dir: held.dir }), startRedis({ dir: held.dir })]);
  expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await Promise.all([postgres.stop(), queue.stop()]);
  await dying;
});

test('a live stack keeps its folder: a second one is refused with who holds it', async () => {
  const dir = place();
  const owner = await ownerOf(dir);
  try {
    await expect(withDataDir(dir)).rejects.toMatchObject({
      code: 'data-dir-in-use',
      message: expect.stringMatching(/is in use by process \d+\. Stop it, or name another --data-dir\.$/),
    });
    expect(await query(owner.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  } finally {
    await owner.kill();
  }
});

test('the lock holds within one process, is given back, and a record of a dead or reused pid does not count', async () => {
  const dir = join(place(), 'new');
  const first = await withDataDir(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  await expect(withDataDir(dir)).rejects.toMatchObject({ code: 'data-dir-in-use' });
  await first.release();
  await first.release();
  expect(existsSync(join(dir, 'stack.json'))).toBe(false);
  // Our own pid with another start time: the number was used again.
  writeFileSync(join(dir, 'stack.json'), JSON.stringify({ pid: process.pid, startTicks: 1, bootId: 'x' }));
  const second = await withDataDir(dir);
  expect(JSON.parse(readFileSync(join(dir, 'stack.json'), 'utf8'))).toMatchObject({ pid: process.pid });
  await second.release();
  writeFileSync(join(dir, 'stack.json'), '{"pid":');
  await (await withDataDir(dir)).release();
});

test('of several starts at once exactly one gets the folder', async () => {
  const dir = place();
  const tries = await Promise.allSettled([1, 2, 3, 4].map(() => withDataDir(dir)));
  const got = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(got).toHaveLength(1);
  await got[0]?.release();
});

test('a postmaster.pid whose number is now another program is no obstacle, and that program lives on', async () => {
  const dir = place();
  const postgres = await startPostgres({ dir });
  await postgres.stop();
  const { uid, gid } = statSync(join(dir, 'postgres'));
  const stranger = startProcess({ argv: ['sleep', '60'], uid, gid, cwd: '/' });
  const text = `${stranger.pid}\n/proc/self/cwd\n1\n5432\n..\n\n0 0\nready   \n`;
  writeFileSync(join(dir, 'postgres/data/postmaster.pid'), text, { mode: 0o600 });
  const again = await startPostgres({ dir });
  expect(await query(again.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await again.stop();
  expect(isGone(stranger.pid ?? 0)).toBe(false);
  await stranger.stop();
});

test('a session that goes on computing after its server was killed does not keep the next one from starting', async () => {
  const dir = place();
  const first = await startPostgres({ dir });
  // Never waits for anything, and so never sees that its postmaster died.
  const busy = query(first.url, 'SELECT count(*) FROM (SELECT generate_series(1, 100000000000)) AS forever');
  const broken = busy.then(
    () => 'ended',
    () => 'broken',
  );
  const computing = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%forever%'";
  await expect.poll(() => query(first.url, computing), { timeout: 5000 }).toEqual([{ n: 2 }]);
  const members = family(first.pid);
  const visitor = startProcess({ argv: ['sleep', '60'], cwd: join(dir, 'postgres/data') });
  process.kill(first.pid, 'SIGKILL');
  expect(await first.exited).toMatch(/SIGKILL/);
  const again = await startPostgres({ dir });
  expect(await query(again.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await expect.poll(() => members.filter((pid) => !isGone(pid)), { timeout: 5000 }).toEqual([]);
  expect(await broken).toBe('broken');
  expect(isGone(visitor.pid ?? 0)).toBe(false);
  await Promise.all([again.stop(), visitor.stop()]);
});

test('a first start killed in the middle of initdb begins anew', async () => {
  const dir = place();
  mkdirSync(join(dir, 'postgres/data.new/base'), { recursive: true });
  writeFileSync(join(dir, 'postgres/data.new/PG_VERSION'), '18\n');
  const postgres = await startPostgres({ dir });
  expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  await postgres.stop();
});

test("another major version's folder is refused with what to do, and is left as it was", async () => {
  const dir = place();
  const first = await startPostgres({ dir });
  await first.stop();
  const file = join(dir, 'postgres/data/PG_VERSION');
  writeFileSync(file, '17\n');
  await expect(startPostgres({ dir })).rejects.toMatchObject({
    code: 'database-version',
    message: expect.stringContaining('was made by PostgreSQL 17, and this Plumbline brings 18'),
  });
  expect(readFileSync(file, 'utf8')).toBe('17\n');
});

test('a folder that cannot be made is named in the refusal', async () => {
  const dir = place();
  writeFileSync(join(dir, 'file'), '');
  await expect(withDataDir(join(dir, 'file', 'below'))).rejects.toMatchObject({
    code: 'data-dir-unusable',
    message: expect.stringContaining(join(dir, 'file', 'below')),
  });
});
