import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab, until } from './lab.js';

/** A matrix of congestion controls of which one end lacks one, walked by processes that are killed in the middle. */
let lab: Lab;
let testMs = 50;

beforeAll(async () => {
  lab = await Lab.open();
  const script = () => ({ phases: { test: { durationMs: testMs } } });
  await lab.probe('a', { congestionControls: ['cubic', 'bbr'], script });
  await lab.probe('b', { congestionControls: ['cubic', 'bbr', 'vegas'], script });
  await Promise.all([lab.process('one'), lab.process('two')]);
});
afterAll(() => lab.close());

const matrix = (more: object = {}) => ({
  kind: 'congestion-control-matrix',
  algorithms: ['cubic', 'vegas', 'bbr'],
  durationS: 1,
  repeats: 2,
  ...more,
});
type Run = Awaited<ReturnType<Lab['ended']>>;
const attemptsOf = (run: Run) => run.legs[0]?.steps[0]?.attempts ?? [];
const algorithm = (cell: unknown): string => Object(cell).algorithm;

/** What the probes were really asked to run since. */
const startedSince = (counts: readonly number[]) =>
  ['a', 'b'].map((name, i) =>
    (lab.probes.get(name)?.started ?? []).slice(counts[i]).map(({ spec }) => Object(spec).congestionControl),
  );
const counts = () => ['a', 'b'].map((name) => lab.probes.get(name)?.started.length ?? 0);

/** Every attempt's beginning and end, as the events tell them. */
async function story(run: Run): Promise<[string, string | null][]> {
  const events = await lab.client.runEvent.findMany({ where: { runId: run.id }, orderBy: { seq: 'asc' } });
  return events.flatMap(({ type, data }): [string, string | null][] =>
    type === 'attempt' ? [[algorithm(Object(data).cell), Object(data).outcome]] : [],
  );
}

const REFUSED_FIRST = [
  ['vegas', null],
  ['vegas', 'refused'],
  ['vegas', null],
  ['vegas', 'refused'],
];
const TRANSFERS = ['cubic', 'bbr', 'cubic', 'bbr'];

async function isRight(run: Run, before: readonly number[]): Promise<void> {
  expect(attemptsOf(run).map(({ n, planIndex, repeat, cell }) => [n, planIndex, repeat, algorithm(cell)])).toEqual([
    [0, 1, 1, 'vegas'],
    [1, 4, 2, 'vegas'],
    [2, 0, 1, 'cubic'],
    [3, 2, 1, 'bbr'],
    [4, 3, 2, 'cubic'],
    [5, 5, 2, 'bbr'],
  ]);
  expect(await story(run)).toEqual([
    ...REFUSED_FIRST,
    ...TRANSFERS.flatMap((name) => [
      [name, null],
      [name, 'completed'],
    ]),
  ]);
  expect(startedSince(before)).toEqual([TRANSFERS, TRANSFERS]);
  expect(run.legs[0]?.steps[0]).toMatchObject({ state: 'failed', reason: 'some-attempts-failed' });
}

describe('a kind that asks first', () => {
  it('has its refusals on record before anything is sent, and runs the rest', async () => {
    const before = counts();
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [matrix()] }), 40_000);
    await isRight(run, before);
    const [vegas] = attemptsOf(run);
    expect(vegas).toMatchObject({ reason: 'congestion-control-unavailable', commands: [], retryOf: null });
    expect(vegas?.detail).toBe('The near host does not have vegas; it has cubic, bbr.');
    const throughput = (of: string) =>
      run.legs[0]?.steps[0]?.metrics.find(({ name, labels }) => name === 'throughput' && algorithm(labels) === of);
    expect(throughput('vegas')).toMatchObject({ value: null, reason: 'attempt-failed' });
    expect(throughput('cubic')?.value).toBeGreaterThan(0);
    // What the receiver ran is known only afterwards, and refuses nothing.
    const cubic = attemptsOf(run).find(({ cell }) => algorithm(cell) === 'cubic');
    expect(cubic?.notes).toContainEqual(expect.stringMatching(/^the receiver ran bbr, not cubic/));
  });

  it('asks the far end where that is the sender', async () => {
    const before = counts();
    const run = await lab.ended(
      await lab.start({ paths: ['b-a'], tests: [matrix({ direction: 'reverse', repeats: 1 })] }),
      40_000,
    );
    expect(attemptsOf(run).map(({ cell }) => algorithm(cell))).toEqual(['vegas', 'cubic', 'bbr']);
    expect(attemptsOf(run)[0]?.detail).toMatch(/^The far host does not have vegas/);
    expect(startedSince(before)).toEqual([
      ['cubic', 'bbr'],
      ['cubic', 'bbr'],
    ]);
  });

  it('ends the step with the first refusal that is the same for all', async () => {
    await lab.probe('bare', { tools: {} });
    const run = await lab.ended(await lab.start({ paths: ['a-bare'], tests: [matrix()] }), 40_000);
    expect(attemptsOf(run)).toMatchObject([{ planIndex: 0, outcome: 'refused', reason: 'tool-missing' }]);
    expect(run.legs[0]?.steps[0]).toMatchObject({ state: 'failed', reason: 'tool-missing' });
  });

  it('asks nothing twice and loses nothing when its owner dies between two transfers', async () => {
    testMs = 400;
    const before = counts();
    const id = await lab.start({ paths: ['a-b'], tests: [matrix()] });
    await until('the first transfer to run', 15_000, () => (startedSince(before)[0]?.length ?? 0) > 0);
    const { owner } = await lab.client.leg.findFirstOrThrow({ where: { runId: id } });
    lab.processes.find(({ name }) => name === owner)?.signal('SIGKILL');
    await isRight(await lab.ended(id, 40_000), before);
    testMs = 50;
  });

  it('goes on asking where its owner died: with the row of a refusal, and before its end', async () => {
    const before = counts();
    // Not before its row is there.
    const notBefore = new Date(Date.now() + 1_500);
    const id = await lab.run({ paths: ['a-b'], tests: [matrix()], notBefore });
    const done = await lab.document(id);
    const stepId = done.legs[0]?.steps[0]?.id ?? '';
    const spec = { durationS: 1, congestionControl: 'vegas', omitS: 0, direction: 'forward', streams: 1 };
    await lab.client.attempt.create({
      data: {
        stepId,
        n: 0,
        repeat: 1,
        planIndex: 1,
        cell: { algorithm: 'vegas' },
        measurement: 'throughput',
        tool: 'iperf3',
        spec,
        specVersion: 1,
        fence: 0n,
      },
    });
    const run = await lab.ended(id, 40_000);
    expect(attemptsOf(run).map(({ cell, outcome }) => [algorithm(cell), outcome])).toEqual([
      ['vegas', 'refused'],
      ['vegas', 'refused'],
      ...TRANSFERS.map((name) => [name, 'completed']),
    ]);
    expect(startedSince(before)).toEqual([TRANSFERS, TRANSFERS]);
  });
});
