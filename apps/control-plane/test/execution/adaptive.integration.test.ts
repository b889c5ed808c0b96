import { ended } from '@plumbline/model';
import type { FakeScript } from '@plumbline/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Lab, until } from './lab.js';

/** Steps whose next attempt follows from what the last one gave, walked by processes that are killed between two of them. */
let lab: Lab;
/** What the fake probe does in the next attempts that start at it; then all goes well again. */
let scripts: FakeScript[] = [];
const script = () => scripts.shift() ?? {};

beforeAll(async () => {
  lab = await Lab.open();
  await lab.probe('a', { script: (attempt) => (attempt.end === 'near' ? script() : {}) });
  await lab.probe('b');
  await Promise.all([lab.process('one'), lab.process('two')]);
});
afterEach(() => {
  scripts = [];
});
afterAll(() => lab.close());

const climb = (upTo: number, more: object = {}) => ({ kind: 'climb', spec: {}, upTo, ...more });
const run = async (tests: Record<string, unknown>[]) => lab.ended(await lab.start({ paths: ['a-b'], tests }), 40_000);
type Run = Awaited<ReturnType<Lab['ended']>>;
const attemptsOf = (run: Run) => run.legs[0]?.steps[0]?.attempts ?? [];
const cells = (run: Run) => attemptsOf(run).map(({ cell }) => Object(cell).offeredBps);

/** Every event once, attempts begun and ended in turn, and the numbers of attempts without gaps. */
async function tellsOneStory(run: Run): Promise<void> {
  const events = await lab.client.runEvent.findMany({ where: { runId: run.id }, orderBy: { seq: 'asc' } });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  const told = events
    .filter(({ type }) => type === 'attempt')
    .map(({ data }) => [Object(data).attempt, Object(data).outcome]);
  expect(told).toEqual(
    attemptsOf(run).flatMap(({ n, outcome }) => [
      [n, null],
      [n, outcome],
    ]),
  );
  expect(attemptsOf(run).map(({ n }) => n)).toEqual(attemptsOf(run).map((_, i) => i));
}

describe('an adaptive step', () => {
  it('goes on from what the last attempt gave, until there is nothing more to do', async () => {
    const walked = await run([climb(4)]);
    expect(walked.state).toBe('succeeded');
    expect(cells(walked)).toEqual(['1', '2', '3', '4']);
    expect(attemptsOf(walked).map(({ planIndex }) => planIndex)).toEqual([0, 1, 2, 3]);
    const step = walked.legs[0]?.steps[0];
    expect(step?.metrics.map(({ value, labels }) => [value, Object(labels).offeredBps])).toEqual(
      ['1', '2', '3', '4'].map((cell) => [Number(cell), cell]),
    );
    await tellsOneStory(walked);
  });

  it('takes a retry for one sample, and goes on from the last try', async () => {
    scripts = [{}, { refuses: ended('probe-busy') }];
    const walked = await run([climb(3)]);
    expect(cells(walked)).toEqual(['1', '2', '2', '3']);
    expect(attemptsOf(walked).map(({ retryOf }) => retryOf)).toEqual([null, null, 1, null]);
    expect(walked.state).toBe('succeeded');
    await tellsOneStory(walked);
  });

  it('ends where an attempt failed, and says so', async () => {
    scripts = [{}, { ending: ended('connection-reset') }];
    const walked = await run([climb(5)]);
    expect(attemptsOf(walked).map(({ outcome }) => outcome)).toEqual(['completed', 'failed']);
    expect(walked.legs[0]?.steps[0]).toMatchObject({ state: 'failed', reason: 'some-attempts-failed' });
  });

  it('does not fail with an attempt that only helps the others', async () => {
    const walked = await run([climb(2, { helpFirst: true })]);
    expect(attemptsOf(walked).map(({ reason, outcome }) => reason ?? outcome)).toEqual([
      'tool-missing',
      'completed',
      'completed',
    ]);
    expect(walked.state).toBe('succeeded');
  });

  it('starts at the far end where that is what it measures', async () => {
    const before = { a: started('a'), b: started('b') };
    const walked = await run([climb(2, { measurement: 'scripted-light' })]);
    expect(walked.state).toBe('succeeded');
    expect(attemptsOf(walked).map(({ startsAt }) => startsAt)).toEqual(['near', 'far']);
    expect([started('a') - before.a, started('b') - before.b]).toEqual([1, 1]);
    // The script's last word is the address that it sends to.
    const peers = attemptsOf(walked).map(({ commands }) => Object(commands)[0].argv.at(-1));
    expect(peers).toEqual(['127.0.0.11', '127.0.0.10']);
  });

  it('whose test measures nothing here is no success', async () => {
    const walked = await run([climb(0)]);
    expect(walked.legs[0]?.steps[0]).toMatchObject({ state: 'failed', reason: 'parameter-unsupported', attempts: [] });
  });
});
const started = (probe: string) => lab.probes.get(probe)?.started.length ?? 0;

describe('cancelling an adaptive step', () => {
  it('keeps what was measured and begins nothing more', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [climb(50, { sleepMs: 150 })] });
    await until('the third attempt', 15_000, async () => attemptsOf(await lab.document(id)).length >= 3);
    const canceller = await lab.replica();
    await canceller.execution.cancelRun(id);
    const walked = await lab.ended(id, 10_000);
    expect(walked.state).toBe('cancelled');
    expect(walked.legs[0]?.steps[0]).toMatchObject({ state: 'cancelled', reason: 'run-cancelled' });
    expect(attemptsOf(walked).length).toBeLessThan(50);
    const before = started('a');
    await until('the claims to be given back', 2_000, async () => (await lab.client.claim.count()) === 0);
    expect(started('a')).toBe(before);
    await canceller.stop();
  });
});

describe('an owner that dies', () => {
  const ownerOf = async (runId: string) => (await lab.client.leg.findFirstOrThrow({ where: { runId } })).owner;

  it('between two attempts is replaced; no attempt is lost or made twice', async () => {
    const before = started('a');
    const id = await lab.start({ paths: ['a-b'], tests: [climb(6, { sleepMs: 400 })] });
    await until('the second attempt to end', 15_000, async () => {
      const attempts = attemptsOf(await lab.document(id));
      return attempts.filter(({ outcome }) => outcome === 'completed').length >= 2;
    });
    const owner = await ownerOf(id);
    lab.processes.find(({ name }) => name === owner)?.signal('SIGKILL');
    const walked = await lab.ended(id, 40_000);
    expect(await ownerOfLast(id)).not.toBe(owner);
    expect(walked.state).toBe('succeeded');
    expect(cells(walked)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(attemptsOf(walked).map(({ metrics }) => metrics.map(({ value }) => value))).toEqual(
      [1, 2, 3, 4, 5, 6].map((value) => [value]),
    );
    expect(started('a') - before).toBe(6);
    expect(walked.legs[0]?.steps[0]?.metrics).toHaveLength(6);
    await tellsOneStory(walked);
  });

  it('exactly between the end of one and the row of the next: the next follows from what Postgres has', async () => {
    // A finished first half, as a killed owner leaves it: ended attempts, a running step, nobody's leg.
    const done = await run([climb(3)]);
    const step = done.legs[0]?.steps[0];
    await lab.client.run.update({
      where: { id: done.id },
      data: {
        state: 'running',
        endedAt: null,
        planDocument: JSON.parse(JSON.stringify({ tests: [climb(5)], criteria: [] })),
      },
    });
    await lab.client.metric.deleteMany({ where: { stepId: step?.id, attemptId: null } });
    await lab.client.step.update({ where: { id: step?.id }, data: { state: 'running', endedAt: null } });
    await lab.client.leg.update({
      where: { id: done.legs[0]?.id },
      data: { state: 'running', endedAt: null, owner: null, ownerSeenAt: null },
    });
    const walked = await lab.ended(done.id, 20_000);
    expect(walked.state).toBe('succeeded');
    expect(cells(walked)).toEqual(['1', '2', '3', '4', '5']);
    expect(attemptsOf(walked).map(({ n, planIndex }) => [n, planIndex])).toEqual([0, 1, 2, 3, 4].map((i) => [i, i]));
    const kept = (run: Run) =>
      attemptsOf(run)
        .slice(0, 3)
        .map(({ id, startedAt }) => [id, startedAt]);
    expect(kept(walked)).toEqual(kept(done));
  });
});
const ownerOfLast = async (runId: string) => {
  const leg = await lab.client.leg.findFirstOrThrow({ where: { runId } });
  return leg.owner;
};
