import type { FakeAttempt } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab, scripted, until } from './lab.js';

const HEAVY_MS = 80;
const NAMES = ['a', 'b', 'c', 'd'];
/** Each probe's own journal: what it started, and when, by its clock. */
const journals = new Map<string, { attempt: FakeAttempt; atMs: number }[]>();

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open();
  for (const name of NAMES) {
    const journal: { attempt: FakeAttempt; atMs: number }[] = [];
    journals.set(name, journal);
    await lab.probe(name, {
      script: (attempt) => {
        journal.push({ attempt, atMs: performance.now() });
        return { phases: { server: { durationMs: HEAVY_MS } } };
      },
    });
  }
  await lab.replica();
  await lab.replica();
});
afterAll(() => lab.close());

const mesh = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => `${from}-${to}`));
const heavy = scripted(HEAVY_MS, { measurement: 'scripted-served' });
const light = { ...scripted(HEAVY_MS), kind: 'scripted-light', measurement: 'scripted-light' };

/** Attempts on one probe that were started while one that may not be beside them still ran. */
function overlaps(journal: readonly { attempt: FakeAttempt; atMs: number }[]): string[] {
  return journal.flatMap((later, i) =>
    journal
      .slice(0, i)
      .filter(
        (earlier) => earlier.attempt.legId !== later.attempt.legId && !(earlier.attempt.shared && later.attempt.shared),
      )
      .filter((earlier) => later.atMs < earlier.atMs + HEAVY_MS)
      .map((earlier) => `${earlier.attempt.legId} and ${later.attempt.legId}, ${later.atMs - earlier.atMs} ms apart`),
  );
}

describe('legs on one endpoint', () => {
  it('asked for at once on two replicas never overlap, and all of them run', async () => {
    const ids = await Promise.all([
      lab.run({ paths: mesh, tests: [heavy] }),
      lab.run({ paths: mesh, tests: [light] }),
      lab.run({ paths: mesh, tests: [heavy], priority: 1 }),
      lab.run({ paths: ['a-b', 'a-b', 'b-a'], tests: [heavy, heavy] }),
    ]);
    await Promise.all(lab.replicas.map((replica) => replica.execution.poke()));
    const runs = await Promise.all(ids.map((id) => lab.ended(id, 50_000)));
    const attempts = runs.flatMap((run) => run.legs.flatMap((leg) => leg.steps.flatMap((step) => step.attempts)));
    expect(attempts.filter((attempt) => attempt.outcome !== 'completed').map((a) => `${a.reason} ${a.detail}`)).toEqual(
      [],
    );
    expect(attempts).toHaveLength(12 * 3 + 6);
    expect(runs.map((run) => run.state)).toEqual(Array(4).fill('succeeded'));
    for (const [name, journal] of journals) expect([name, ...overlaps(journal)]).toEqual([name]);
    const owners = new Set(runs.flatMap((run) => run.legs.map((leg) => leg.fence)));
    expect(owners.size).toBe(12 * 3 + 3);
    expect(await lab.client.claim.count()).toBe(0);
  });

  it('let light ones overlap with each other', async () => {
    const journal = journals.get('a') ?? [];
    journal.length = 0;
    const long = { ...light, spec: { phases: [{ name: 'test', sleepMs: 3_000 }] } };
    await lab.ended(await lab.start({ paths: ['a-b', 'a-c', 'a-d', 'a-b'], tests: [long] }));
    const starts = journal.map((entry) => entry.atMs);
    expect(starts).toHaveLength(4);
    expect(Math.max(...starts) - Math.min(...starts)).toBeLessThan(3_000);
  });

  it('come by priority, then age, once the endpoint is free', async () => {
    const first = await lab.start({ paths: ['a-b'], tests: [scripted(1_000)] });
    await until('the first to run', 10_000, async () => (await lab.document(first)).state === 'running');
    const ids = [
      await lab.run({ paths: ['a-b'], tests: [heavy] }),
      await lab.run({ paths: ['a-b'], tests: [heavy] }),
      await lab.run({ paths: ['a-b'], tests: [heavy], priority: 5 }),
    ];
    await Promise.all(lab.replicas.map((replica) => replica.execution.poke()));
    const runs = await Promise.all([first, ...ids].map((id) => lab.ended(id)));
    const order = runs.map((run) => run.legs[0]?.fence ?? 0n);
    const [running, old, young, urgent] = order;
    expect([running, urgent, old, young]).toEqual([...order].sort((x, y) => (x < y ? -1 : 1)));
  });

  it('are cancelled through any replica, whoever walks them', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(10_000)] });
    let owner: string | null = null;
    await until('the leg to run', 10_000, async () => {
      const [leg] = (await lab.document(id)).legs;
      owner = leg?.owner ?? null;
      return leg?.steps[0]?.attempts[0]?.commands?.toString() !== '' && leg?.state === 'running';
    });
    const other = lab.replicas.find((replica) => replica.name !== owner);
    const began = performance.now();
    await other?.execution.cancelRun(id);
    expect((await lab.ended(id)).legs[0]?.steps[0]?.attempts[0]).toMatchObject({ reason: 'cancelled-by-user' });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('share a link as its capacity allows', async () => {
    const request = { tests: [scripted(700)], sharedLinks: [{ name: 'uplink', capacity: 1 }] };
    const one = await lab.start({ paths: ['a-b'], ...request });
    const other = await lab.start({ paths: ['c-d'], ...request });
    const [first, second] = await Promise.all([lab.ended(one), lab.ended(other)]);
    expect(second.startedAt?.getTime()).toBeGreaterThanOrEqual(first.endedAt?.getTime() ?? Number.NaN);
  });
});
