import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@plumbline/embedded';
import type { SocketSample } from '@plumbline/model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertMetrics, insertSamples } from '../../src/persistence/bulk-rows.js';
import { sqlState } from '../../src/persistence/connection-fault.js';
import { PostgresArtifactStore } from '../../src/persistence/postgres-artifact-store.js';
import { PostgresDatabase } from '../../src/persistence/postgres-database.js';
import { PostgresRunEvents } from '../../src/persistence/postgres-run-events.js';
import { PostgresSignals } from '../../src/persistence/postgres-signals.js';
import type { Settings } from '../../src/persistence/seams.js';
import { until } from '../execution/lab.js';
import { type Servers, startServers } from '../stack.js';

let servers: Servers;
let again: Awaited<ReturnType<typeof startPostgres>> | undefined;
let database: PostgresDatabase;
let signals: PostgresSignals;
let events: PostgresRunEvents;
let store: PostgresArtifactStore;

beforeAll(async () => {
  servers = await startServers();
  const settings: Settings = {
    databaseUrl: servers.databaseUrl,
    redisUrl: servers.redisUrl,
    dataDir: servers.dir,
    host: '',
    port: 0,
    replica: 'test',
  };
  database = new PostgresDatabase(settings);
  signals = new PostgresSignals(settings, database);
  events = new PostgresRunEvents(database);
  store = new PostgresArtifactStore(database);
  signals.onModuleInit();
});
afterAll(async () => {
  await signals.onApplicationShutdown();
  await database.onApplicationShutdown();
  await again?.stop();
  await servers.stop();
});

async function newRun(): Promise<string> {
  const { id } = await database.client.run.create({ data: { planDocument: {} } });
  return id;
}
async function newAttempt(): Promise<{ attemptId: string; stepId: string; legId: string }> {
  const leg = await database.client.leg.create({
    data: {
      index: 0,
      pathName: 'p',
      pathDocument: {},
      exclusive: true,
      run: { create: { planDocument: {} } },
      steps: { create: { index: 0, kind: 'k' } },
    },
    include: { steps: true },
  });
  const stepId = leg.steps[0]?.id ?? '';
  const { id } = await database.client.attempt.create({
    data: { stepId, n: 0, repeat: 1, planIndex: 0, measurement: 'm', tool: 't', spec: {}, fence: 1n },
  });
  return { attemptId: id, stepId, legId: leg.id };
}

describe('run events', () => {
  it('have numbers without gaps, whoever appends at the same time, and are gone with their transaction', async () => {
    const run = await newRun();
    await Promise.all(Array.from({ length: 40 }, (_, i) => events.append(run, 'log', { i })));
    await events.appendAll(run, [
      { type: 'sample', data: { a: 1 } },
      { type: 'sample', data: { a: '\u0000' }, replay: false },
    ]);
    await expect(
      database.client.$transaction(async (client) => {
        await events.append(run, 'log', {}, { client });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    const all = await events.read(run, 0, { all: true, limit: 100 });
    expect(all.map((event) => event.seq)).toEqual(Array.from({ length: 42 }, (_, i) => i + 1));
    expect(await events.read(run, 40, { all: false, limit: 100 })).toMatchObject([{ seq: 41, type: 'sample' }]);
    expect(await events.append(run, 'log', {})).toBe(43);
    expect(await events.append(randomUUID(), 'log', {})).toBe(0);
  });
});

describe('signals', () => {
  it('reach every listener of their channel once the sender has committed', async () => {
    const heard: string[] = [];
    const stop = signals.listen('cancel', (payload) => heard.push(payload));
    await until('the listener to be connected', 5_000, async () => {
      await signals.notify('cancel', 'hello');
      await sleep(20);
      return heard.length > 0;
    });
    heard.length = 0;
    await database.client.$transaction(async (client) => {
      await signals.notify('cancel', 'late', client);
      await sleep(100);
      expect(heard).toEqual([]);
    });
    await until('the signal', 2_000, () => heard.includes('late'));
    stop();
    await signals.notify('cancel', 'unheard');
    await sleep(100);
    expect(heard).not.toContain('unheard');
  });
});

describe('artifacts', () => {
  it('are kept byte for byte, once for the same bytes, and listed by name', async () => {
    const { attemptId } = await newAttempt();
    const other = await newAttempt();
    const bytes = Buffer.concat([randomBytes(300_000), Buffer.alloc(3_000_000, 'ab')]);
    const facts = { end: 'near', tool: 't', stream: 'stdout', mediaType: 'text/plain' } as const;
    const put = await store.put(attemptId, { ...facts, name: 'b' }, bytes);
    await store.put(attemptId, { ...facts, name: 'a' }, Buffer.alloc(0));
    await store.put(other.attemptId, { ...facts, name: 'b' }, bytes);
    await store.put(attemptId, { ...facts, name: 'b' }, Buffer.from('a second one of that name is not taken'));
    expect((await store.list(attemptId)).map((a) => [a.name, a.sizeBytes])).toEqual([
      ['a', 0],
      ['b', bytes.length],
    ]);
    const opened = await store.open(attemptId, 'b');
    const chunks: Buffer[] = [];
    for await (const chunk of opened?.body ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    expect(opened?.artifact).toEqual(put);
    expect(await store.open(attemptId, 'c')).toBeUndefined();
    const [blob] = await database.client.$queryRaw<{ stored: number }[]>`
      SELECT length(bytes) AS stored FROM blob WHERE sha256 = ${put.sha256}`;
    expect(blob?.stored).toBeLessThan(bytes.length / 5);
  });

  it('are at most 64 MiB', async () => {
    await expect(store.putBytes(Buffer.alloc(64 * 1024 * 1024 + 1))).rejects.toThrow(RangeError);
  });
});

describe('bulk rows', () => {
  it('keep their order and values; null has a reason', async () => {
    const { attemptId, stepId } = await newAttempt();
    await insertMetrics(database.client, { stepId, attemptId }, [
      { name: 'throughput', value: 1.5e9, unit: 'bit/s', labels: { direction: 'forward' } },
      { name: 'loss', value: null, unit: 'ratio', reason: 'no-reply' },
      { name: 'rtt.p50', value: 18.25, unit: 'ms', spread: { min: 1, max: 2, count: 3 } },
    ]);
    const rows = await database.client.metric.findMany({ where: { attemptId }, orderBy: { seq: 'asc' } });
    expect(rows).toMatchObject([
      { name: 'throughput', value: 1.5e9, labels: { direction: 'forward' }, reason: null, spread: null },
      { name: 'loss', value: null, reason: 'no-reply', labels: null },
      { name: 'rtt.p50', value: 18.25, spread: { min: 1, max: 2, count: 3 } },
    ]);
    const samples = Array.from(
      { length: 2_000 },
      (_, i): SocketSample => ({
        end: i % 2 ? 'far' : 'near',
        elapsedMs: i,
        localAddress: '192.0.2.1',
        localPort: 1,
        peerAddress: '192.0.2.2',
        peerPort: 2,
        state: 'ESTAB',
      }),
    );
    await insertSamples(database.client, attemptId, samples);
    expect(await database.client.sample.count({ where: { attemptId, end: 'far' } })).toBe(1_000);
  });
});

describe('claims', () => {
  it('on one slot are refused by the database itself', async () => {
    const { legId } = await newAttempt();
    const claim = (lower: number, upper: number) => database.client.$executeRaw`
      INSERT INTO claim (id, leg_id, resource, span, fence, expires_at)
      VALUES (gen_random_uuid(), ${legId}::uuid, 'r', int8range(${lower}::int8, ${upper}::int8), 1, now())`;
    await claim(0, 65_536);
    await claim(65_536, 65_537);
    const refused = await claim(65_535, 65_536).catch((error: unknown) => error);
    expect(sqlState(refused)).toBe('23P01');
    await database.client.claim.deleteMany();
  });
});

describe('Postgres that restarts', () => {
  it('is waited for, listened to again, and whoever listens is told to look', async () => {
    const run = await newRun();
    const heard: string[] = [];
    signals.listen('dispatch', (payload) => heard.push(payload));
    await servers.postgres.stop();
    await expect(database.retrying('fail soon', (client) => client.run.count(), 300)).rejects.toThrow();
    const waiting = database.retrying('count', (client) => client.run.count({ where: { id: run } }));
    const writing = database.transaction('append', (client) => events.append(run, 'log', {}, { client }));
    again = await startPostgres({ dir: servers.dir });
    expect(await waiting).toBe(1);
    expect(await writing).toBe(1);
    await until('everybody to be told to look', 10_000, () => heard.includes(''));
    await signals.notify('dispatch', 'after');
    await until('the signal', 5_000, () => heard.includes('after'));
  });

  it('is not waited for with errors that are no fault of the connection', async () => {
    const began = performance.now();
    await expect(database.retrying('divide', (client) => client.$queryRaw`SELECT 1 / 0`)).rejects.toThrow();
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
