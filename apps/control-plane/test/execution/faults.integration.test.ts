import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, startRedis } from '@plumbline/embedded';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AdvanceQueue } from '../../src/execution/queue/advance-queue.js';
import { Lab, scripted, until } from './lab.js';

let lab: Lab;
let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined;
let redis: Awaited<ReturnType<typeof startRedis>> | undefined;
beforeAll(async () => {
  lab = await Lab.open();
  await lab.probe('a');
  await lab.probe('b');
  await lab.probe('c');
  await lab.replica();
});
afterEach(async () => {
  await Promise.all([lab.probes.get('a')?.revive(), lab.probes.get('b')?.revive()]);
});
afterAll(async () => {
  await lab.close();
  await Promise.all([postgres?.stop(), redis?.stop()]);
});

const served = (sleepMs: number, more: Record<string, unknown> = {}, spec: Record<string, unknown> = {}) =>
  scripted(sleepMs, { measurement: 'scripted-served', ...more }, spec);
const startedOn = (probe: string) => lab.probes.get(probe)?.started.length ?? 0;
const reasons = (run: Awaited<ReturnType<Lab['ended']>>) =>
  run.legs.map((leg) => leg.steps.map((step) => step.attempts.map((attempt) => attempt.reason ?? attempt.outcome)));

/** Begins a run and waits until its program runs on the source's probe. */
async function running(tests: Record<string, unknown>[]): Promise<string> {
  const before = startedOn('a');
  const id = await lab.start({ paths: ['a-b'], tests });
  await until('the program to run', 15_000, () => startedOn('a') > before);
  await sleep(200);
  return id;
}

async function redisClient<T>(work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis({ path: lab.servers.redis.path, maxRetriesPerRequest: 1 });
  client.on('error', () => undefined);
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

describe('Redis', () => {
  it('emptied in the middle of a leg and with legs waiting, loses and doubles nothing', async () => {
    const before = startedOn('a');
    const first = await running([served(1_000), scripted(5)]);
    const waiting = await lab.run({ paths: ['a-b', 'b-a', 'a-c'], tests: [scripted(5)] });
    await lab.replicas[0]?.execution.poke();
    // Ends: after ten times emptying it while legs come and go.
    for (let i = 0; i < 10; i++) {
      await redisClient((client) => client.flushall());
      await sleep(150);
    }
    const runs = await Promise.all([lab.ended(first), lab.ended(waiting)]);
    expect(runs.map(reasons)).toEqual([
      [[['completed'], ['completed']]],
      [[['completed']], [['completed']], [['completed']]],
    ]);
    // Source of the first run's two programs and of two of the waiting legs, destination of none that serves.
    expect(startedOn('a') - before).toBe(4);
  });

  it('away for a while lets running legs go on, and waiting ones start when it is back', async () => {
    const first = await running([served(1_500), scripted(5)]);
    await lab.servers.redis.stop();
    const waiting = await lab.run({ paths: ['a-c'], tests: [scripted(5)] });
    const began = performance.now();
    await lab.replicas[0]?.execution.poke();
    expect(performance.now() - began).toBeLessThan(1_000);
    await until('Redis to be missed', 5_000, () => lab.replicas[0]?.module.get(AdvanceQueue).problem !== undefined);
    expect((await lab.ended(first)).state).toBe('succeeded');
    expect((await lab.document(waiting)).state).toBe('queued');
    redis = await startRedis({ dir: lab.servers.dir });
    expect((await lab.ended(waiting, 15_000)).state).toBe('succeeded');
    await until(
      'Redis to be there again',
      5_000,
      () => lab.replicas[0]?.module.get(AdvanceQueue).problem === undefined,
    );
  });

  it('away at the start is waited for; runs can be asked for and cancelled meanwhile', async () => {
    const alone = await Lab.open();
    try {
      await alone.probe('a');
      await alone.probe('b');
      await alone.servers.redis.stop();
      const replica = await alone.replica();
      const id = await alone.start({ paths: ['a-b'], tests: [scripted(5)] });
      await until('the leg to be claimed', 5_000, async () => (await alone.client.claim.count()) > 0);
      await replica.execution.cancelRun(id);
      expect((await alone.ended(id)).state).toBe('cancelled');
      expect(await alone.client.claim.count()).toBe(0);
      const began = performance.now();
      await replica.stop();
      expect(performance.now() - began).toBeLessThan(8_000);
    } finally {
      await alone.close();
    }
  });

  it('that evicts keys is refused at the start', async () => {
    await redisClient((client) => client.config('SET', 'maxmemory-policy', 'allkeys-lru'));
    await expect(lab.replica()).rejects.toThrow(/noeviction/);
    await redisClient((client) => client.config('SET', 'maxmemory-policy', 'noeviction'));
  });
});

describe('Postgres', () => {
  it('restarted in the middle of a leg, loses and doubles nothing', async () => {
    const before = startedOn('a');
    const id = await running([served(2_500), scripted(5)]);
    await lab.servers.postgres.stop();
    await sleep(1_000);
    postgres = await startPostgres({ dir: lab.servers.dir });
    const run = await lab.ended(id, 40_000);
    expect(reasons(run)).toEqual([[['completed'], ['completed']]]);
    expect(startedOn('a') - before).toBe(2);
    expect(run.legs[0]?.steps[0]?.attempts[0]?.metrics).toHaveLength(1);
    const events = await lab.client.runEvent.findMany({ where: { runId: id }, orderBy: { seq: 'asc' } });
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
    expect((await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(5)] }))).state).toBe('succeeded');
  });
});

describe('a probe that dies in the middle', () => {
  it('and comes back, has its word: the attempt is lost, the other end is clean, the next test runs', async () => {
    const id = await running([served(8_000), scripted(5)]);
    await lab.probes.get('a')?.die();
    await sleep(300);
    await lab.probes.get('a')?.revive();
    const run = await lab.ended(id);
    expect(reasons(run)).toEqual([[['probe-stopped'], ['completed']]]);
    expect(run.legs[0]?.steps[0]?.attempts[0]?.outcome).toBe('lost');
    expect(run.state).toBe('failed');
    expect(await lab.client.claim.count()).toBe(0);
  });

  it('at the far end, ends the test at the near one', async () => {
    const id = await running([served(12_000), scripted(5)]);
    await lab.probes.get('b')?.die();
    await sleep(300);
    await lab.probes.get('b')?.revive();
    const run = await lab.ended(id, 10_000);
    expect(reasons(run)).toEqual([[['far-probe-lost'], ['completed']]]);
  });

  it('and stays away, is given up once the attempt cannot run any more', async () => {
    const id = await running([served(60_000, {}, { longestMs: 1_000 })]);
    await lab.probes.get('a')?.die();
    const began = performance.now();
    const run = await lab.ended(id, 30_000);
    expect(reasons(run)).toEqual([[['probe-lost']]]);
    // Its longest duration (1 s) and the 10 s for which it is asked for, and what stopping the other end takes.
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('of which only the stream falls silent, is attached to again and loses nothing', async () => {
    const before = startedOn('a');
    const id = await running([served(6_000)]);
    lab.probes.get('a')?.fallSilent(true);
    await sleep(4_000);
    lab.probes.get('a')?.fallSilent(false);
    expect(reasons(await lab.ended(id))).toEqual([[['completed']]]);
    expect(startedOn('a') - before).toBe(1);
  });

  it('and cannot be told of a cancellation, keeps its interface until the attempt is over by itself; the other end is free', async () => {
    const id = await running([served(10_000)]);
    await lab.probes.get('a')?.die();
    await lab.replicas[0]?.execution.cancelRun(id);
    expect(reasons(await lab.ended(id, 20_000))).toEqual([[['cancelled-by-user']]]);
    const kept = await lab.client.claim.findMany({ select: { resource: true } });
    expect(kept).toEqual([{ resource: 'probe/a/if/eth0' }]);
    await lab.probes.get('a')?.revive();
    const waiting = await lab.start({ paths: ['a-c'], tests: [scripted(5)] });
    expect((await lab.ended(await lab.start({ paths: ['c-b'], tests: [scripted(5)] }))).state).toBe('succeeded');
    expect((await lab.document(waiting)).state).toBe('queued');
    await lab.client.claim.updateMany({ data: { expiresAt: new Date() } });
    expect((await lab.ended(waiting)).state).toBe('succeeded');
  });
});
