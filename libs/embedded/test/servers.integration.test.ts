import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, type RedisServer, startPostgres, startRedis } from '../src/index.js';
import { family, isGone, query, redis, socketsOf, temporary } from './stack.js';

describe('a running pair of servers', () => {
  let dir: string;
  let remove: () => void;
  let postgres: PostgresServer;
  let queue: RedisServer;
  beforeAll(async () => {
    ({ dir, remove } = temporary());
    [postgres, queue] = await Promise.all([startPostgres({ dir }), startRedis({ dir })]);
  });
  afterAll(async () => {
    await Promise.all([postgres.stop(), queue.stop()]);
    remove();
  });

  test('the database is ready for its owner, who is no superuser, in UTC', async () => {
    const [row] = await query(
      postgres.url,
      `SELECT current_user AS who, current_database() AS name, usesuper, usecreatedb, current_setting('TimeZone') AS zone,
        current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, current_setting('server_version_num')::int AS version
       FROM pg_user WHERE usename = current_user`,
    );
    expect(row).toMatchObject({
      who: 'app',
      name: 'plumbline',
      usesuper: false,
      usecreatedb: true,
      zone: 'UTC',
      fsync: 'on',
      pages: 'on',
    });
    expect(row?.version).toBeGreaterThanOrEqual(180_000);
    // The claims' exclusion constraint needs it; a trusted extension needs no superuser.
    expect(await query(postgres.url, 'CREATE EXTENSION btree_gist')).toEqual([]);
  });

  test("Prisma's adapter understands the URL", async () => {
    const adapter = await new PrismaPg({ connectionString: postgres.url }).connect();
    const result = await adapter.queryRaw({ sql: 'SELECT 6 * 7 AS n', args: [], argTypes: [] });
    await adapter.dispose();
    expect(result.rows).toEqual([[42]]);
  });

  test('ioredis understands the path, and the queue keeps everything', async () => {
    const client = new Redis({ path: queue.path, lazyConnect: true, retryStrategy: null });
    await client.connect();
    expect(await client.ping()).toBe('PONG');
    const settings = await client.config('GET', 'maxmemory-policy', 'appendonly', 'appendfsync', 'port');
    client.disconnect();
    expect(settings).toEqual(
      expect.arrayContaining([
        'maxmemory-policy',
        'noeviction',
        'appendonly',
        'yes',
        'appendfsync',
        'everysec',
        'port',
        '0',
      ]),
    );
    expect(decodeURI(new URL(queue.url).pathname)).toBe(queue.path);
  });

  test('nobody else can reach them: no socket but unix sockets, each in a 0700 folder', () => {
    for (const pid of [...family(postgres.pid), ...family(queue.pid)]) expect(socketsOf(pid).internet).toBe(0);
    expect(socketsOf(postgres.pid).all).toBeGreaterThan(0);
    expect(socketsOf(queue.pid).all).toBeGreaterThan(0);
    for (const folder of ['postgres', 'postgres/data', 'redis', 'log']) {
      expect([folder, statSync(join(dir, folder)).mode & 0o777]).toEqual([folder, 0o700]);
    }
    for (const file of ['log/postgres.log', 'log/redis.log', 'postgres.json', 'redis.json']) {
      expect([file, statSync(join(dir, file)).mode & 0o777]).toEqual([file, 0o600]);
    }
    // The folders above keep their owner: nothing but what is ours was handed over.
    expect(statSync(dir).uid).toBe(process.getuid?.());
  });

  test.runIf(process.getuid?.() === 0)('as root the servers run as an unprivileged user', () => {
    for (const { pid } of [postgres, queue]) expect(statSync(`/proc/${pid}`).uid).not.toBe(0);
  });

  test('a second start in the same folder is refused while they run', async () => {
    await expect(startPostgres({ dir })).rejects.toMatchObject({ code: 'data-dir-in-use' });
    await expect(startRedis({ dir })).rejects.toMatchObject({ code: 'data-dir-in-use' });
    expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(await redis(queue.path, 'PING')).toBe('+PONG');
  });
});

test('what was stored is there after a restart, and stopping leaves no process, socket or record', async () => {
  const { dir, remove } = temporary();
  try {
    let [postgres, queue] = await Promise.all([startPostgres({ dir }), startRedis({ dir })]);
    await query(postgres.url, 'CREATE TABLE kept (n int); INSERT INTO kept VALUES (7)'.split(';')[0] ?? '');
    await query(postgres.url, 'INSERT INTO kept VALUES (7)');
    await redis(queue.path, 'SET kept seven');
    const members = [...family(postgres.pid), ...family(queue.pid)];
    expect(members.length).toBeGreaterThan(4);
    await Promise.all([postgres.stop(), queue.stop()]);
    expect(await Promise.all([postgres.exited, queue.exited])).toEqual([undefined, undefined]);
    expect(members.filter((pid) => !isGone(pid))).toEqual([]);
    expect(existsSync(queue.path)).toBe(false);
    expect(readdirSync(dir).sort()).toEqual(['log', 'postgres', 'redis']);
    [postgres, queue] = await Promise.all([startPostgres({ dir }), startRedis({ dir })]);
    expect(await query(postgres.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    expect(await redis(queue.path, 'GET kept')).toMatch(/seven$/);
    await Promise.all([postgres.stop(), queue.stop(), postgres.stop()]);
  } finally {
    remove();
  }
});

test('two stacks live side by side and share nothing', async () => {
  const places = [temporary(), temporary()];
  const servers = await Promise.all(
    places.map(async ({ dir }) => ({ postgres: await startPostgres({ dir }), queue: await startRedis({ dir }) })),
  );
  try {
    await Promise.all(
      servers.map(async ({ postgres, queue }, i) => {
        await query(postgres.url, `CREATE TABLE mine AS SELECT ${i} AS n`);
        await redis(queue.path, `SET mine ${i}`);
      }),
    );
    for (const [i, { postgres, queue }] of servers.entries()) {
      expect(await query(postgres.url, 'SELECT n FROM mine')).toEqual([{ n: i }]);
      expect(await redis(queue.path, 'GET mine')).toContain(String(i));
    }
  } finally {
    await Promise.all(servers.flatMap(({ postgres, queue }) => [postgres.stop(), queue.stop()]));
    for (const { remove } of places) remove();
  }
});

test('a data folder with a long and odd name works, and its shortcut is gone afterwards', async () => {
  const { dir: parent, remove } = temporary();
  const dir = join(parent, `with space % é/${'long/'.repeat(25)}end`);
  mkdirSync(dir, { recursive: true });
  try {
    const [postgres, queue] = await Promise.all([startPostgres({ dir }), startRedis({ dir })]);
    expect(Buffer.byteLength(queue.path)).toBeLessThanOrEqual(107);
    expect(queue.path.startsWith(dir)).toBe(false);
    const shortcut = join(queue.path, '..', '..');
    expect(statSync(shortcut).mode & 0o777).toBe(0o700);
    expect(await query(postgres.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect(await redis(queue.path, 'PING')).toBe('+PONG');
    await Promise.all([postgres.stop(), queue.stop()]);
    expect(existsSync(shortcut)).toBe(false);
  } finally {
    remove();
  }
});

test('a server that ends by itself says so, and started again it answers under the same name', async () => {
  const { dir: parent, remove } = temporary();
  const dir = join(parent, 'long/'.repeat(25));
  try {
    const first = await startRedis({ dir });
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toMatch(/^redis ended by itself \(signal SIGKILL\)\./);
    const again = await startRedis({ dir });
    expect(again.url).toBe(first.url);
    expect(await redis(again.path, 'PING')).toBe('+PONG');
    await again.stop();
    await first.stop();
    expect(existsSync(join(first.path, '..', '..'))).toBe(false);
  } finally {
    remove();
  }
});
