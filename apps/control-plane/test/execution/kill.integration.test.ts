import { setTimeout as sleep } from 'node:timers/promises';
import { connectProbe } from '@plumbline/probe-rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab, scripted, until } from './lab.js';

/** Figures are printed so that they can be looked at; what is asserted are bounds. */
const figure = (name: string, ms: number) => console.log(`${name}: ${Math.round(ms)} ms`);

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open();
  await lab.probe('a');
  await lab.probe('b');
  await Promise.all([lab.process('one'), lab.process('two')]);
});
afterAll(() => lab.close());

const startedOn = (probe: string) => lab.probes.get(probe)?.started.length ?? 0;
const legOf = (runId: string) =>
  lab.client.leg.findFirstOrThrow({ where: { runId }, select: { owner: true, fence: true, ownerEpoch: true } });
const processOf = (name: string | null) => lab.processes.find((process) => process.name === name);

/** Begins a run and waits until its program runs. */
async function running(sleepMs: number, more: Record<string, unknown> = {}): Promise<string> {
  const before = startedOn('a');
  const id = await lab.start({
    paths: ['a-b'],
    tests: [scripted(sleepMs, { measurement: 'scripted-served', ...more }), scripted(10)],
  });
  await until('the program to run', 15_000, () => startedOn('a') > before);
  await until('the start to be noted', 5_000, async () => {
    const [attempt] = (await lab.document(id)).legs[0]?.steps[0]?.attempts ?? [];
    return Array.isArray(attempt?.commands) && attempt.commands.length > 0;
  });
  return id;
}

async function takenOver(id: string, from: string | null): Promise<number> {
  return until('another owner', 20_000, async () => {
    const { owner } = await legOf(id);
    return owner !== null && owner !== from;
  });
}

/** Both programs ran once at each probe that has one, and each has one result. */
async function ranOnce(id: string, startedBefore: { a: number; b: number }): Promise<void> {
  const run = await lab.ended(id, 40_000);
  expect(run.state).toBe('succeeded');
  for (const step of run.legs[0]?.steps ?? []) {
    expect(step.attempts.map((attempt) => attempt.outcome)).toEqual(['completed']);
    expect(step.attempts[0]?.metrics).toHaveLength(1);
    expect(step.metrics).toHaveLength(1);
  }
  expect(startedOn('a') - startedBefore.a).toBe(2);
  expect(startedOn('b') - startedBefore.b).toBe(1);
}
const counts = () => ({ a: startedOn('a'), b: startedOn('b') });

describe('an owner in the middle of a leg', () => {
  it('that shuts down hands it over at once, without waiting for the test', async () => {
    const before = counts();
    const id = await running(4_000);
    const { owner } = await legOf(id);
    processOf(owner)?.signal('SIGTERM');
    const tookMs = await takenOver(id, owner);
    figure('handover at SIGTERM', tookMs);
    expect(tookMs).toBeLessThan(4_000);
    await ranOnce(id, before);
    await processOf(owner)?.stop();
    await lab.process('three');
  });

  it('that is paused loses it, and changes nothing when it wakes', async () => {
    const before = counts();
    const id = await running(12_000);
    const { owner, ownerEpoch } = await legOf(id);
    const paused = processOf(owner);
    paused?.signal('SIGSTOP');
    await takenOver(id, owner);
    paused?.signal('SIGCONT');
    await ranOnce(id, before);
    expect((await legOf(id)).ownerEpoch).toBe(ownerEpoch + 1);
  });

  it('that is killed is replaced within 10 s; the attempt is attached to again and has exactly one result', async () => {
    const before = counts();
    const id = await running(9_000);
    const { owner, fence } = await legOf(id);
    processOf(owner)?.signal('SIGKILL');
    const tookMs = await takenOver(id, owner);
    figure('takeover after SIGKILL', tookMs);
    expect(tookMs).toBeLessThan(10_000);
    await ranOnce(id, before);
    expect((await legOf(id)).fence).toBe(fence);
  });
});

describe('a run whose worker is dead', () => {
  it('can be cancelled all the same: traffic ends within a second', async () => {
    await Promise.all(lab.processes.map((process) => process.stop()));
    const last = await lab.process('four');
    const id = await running(12_000);
    last.signal('SIGKILL');
    // This replica lives in the test's process; it starts only now, and its first look may already take the leg.
    const replica = await lab.replica();
    const began = performance.now();
    await replica.execution.cancelRun(id);
    const toldMs = performance.now() - began;
    figure('cancel with a dead worker', toldMs);
    expect(toldMs).toBeLessThan(5_000);
    const [{ address, name }] = [lab.probes.get('a') ?? { address: '', name: '' }];
    const connection = connectProbe({ address, name });
    const { attempts } = await connection.listAttempts();
    connection.close();
    expect(attempts.filter((attempt) => attempt.running)).toEqual([]);
    const run = await lab.ended(id, 20_000);
    expect(run.state).toBe('cancelled');
    expect(run.legs[0]?.steps[0]?.attempts[0]).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
    await sleep(50);
    expect(await lab.client.claim.count()).toBe(0);
  });
});
