import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab, scripted, until } from './lab.js';

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open();
  await lab.probe('a');
  await lab.probe('b');
});
afterAll(() => lab.close());

const startedOn = (probe: string) => lab.probes.get(probe)?.started.length ?? 0;

describe('a control plane that is told to stop', () => {
  it('lets the attempt that runs end and begins nothing after it; the next owner goes on there', async () => {
    const first = await lab.replica();
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(600, { repeats: 3 })] });
    await until('the program to run', 15_000, () => startedOn('a') === 1);
    const attempts = async () => (await lab.document(id)).legs[0]?.steps[0]?.attempts ?? [];
    first.execution.drain();
    const waiting = await lab.run({ paths: ['b-a'], tests: [scripted(1)] });
    await first.execution.poke();
    await until('its end', 10_000, async () => (await attempts())[0]?.outcome === 'completed');
    await until('the leg to be let go of', 5_000, async () => (await lab.document(id)).legs[0]?.owner === null);
    expect(await attempts()).toHaveLength(1);
    expect(startedOn('a')).toBe(1);
    expect((await lab.document(waiting)).legs[0]?.fence).toBeNull();

    await first.stop();
    await lab.replica();
    const run = await lab.ended(id);
    expect(run.state).toBe('succeeded');
    expect(run.legs[0]?.steps[0]?.attempts.map((a) => [a.n, a.outcome])).toEqual([
      [0, 'completed'],
      [1, 'completed'],
      [2, 'completed'],
    ]);
    expect(startedOn('a')).toBeGreaterThanOrEqual(3);
    await lab.ended(waiting);
  });

  it('leaves a test that runs to the probe, whose own end counts however late it is fetched', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(400)] });
    await lab.replicas.at(-1)?.execution.poke();
    const attempts = async () => (await lab.document(id)).legs[0]?.steps[0]?.attempts ?? [];
    await until(
      'the start to be noted',
      10_000,
      async () => JSON.stringify((await attempts())[0]?.commands ?? []) !== '[]',
    );
    await lab.replicas.at(-1)?.stop();
    expect((await attempts())[0]?.outcome).toBeNull();
    await sleep(600);
    // As if all that had been two minutes ago: longer than the test may take.
    await lab.client.attempt.updateMany({
      where: { step: { leg: { runId: id } } },
      data: { startedAt: new Date(Date.now() - 120_000) },
    });
    const fetchedAt = Date.now();
    await lab.replica();
    const attempt = (await lab.ended(id)).legs[0]?.steps[0]?.attempts[0];
    expect(attempt).toMatchObject({ outcome: 'completed', n: 0 });
    expect(attempt?.endedAt?.getTime()).toBeLessThan(fetchedAt);
    expect(JSON.stringify(attempt?.notes)).toContain('took this attempt over');
  });

  it('leaves an attempt that was only prepared to the next owner, whose clock it then runs by', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(400)] });
    await lab.replicas.at(-1)?.execution.poke();
    const attempts = async () => (await lab.document(id)).legs[0]?.steps[0]?.attempts ?? [];
    await until('the attempt', 10_000, async () => (await attempts()).length === 1);
    await until(
      'its program to be noted',
      10_000,
      async () => JSON.stringify((await attempts())[0]?.commands) !== '[]',
    );
    await lab.replicas.at(-1)?.stop();
    await sleep(600);
    // Under another id no probe has ever heard of it: as if its owner had ended right after it made the row.
    await lab.client.$executeRaw`
      UPDATE attempt SET id = gen_random_uuid(), commands = '[]'::jsonb, started_at = now() - interval '2 minutes'
      FROM step, leg WHERE attempt.step_id = step.id AND step.leg_id = leg.id AND leg.run_id = ${id}::uuid`;
    const resumedAt = Date.now();
    await lab.replica();
    const attempt = (await lab.ended(id)).legs[0]?.steps[0]?.attempts[0];
    expect(attempt).toMatchObject({ outcome: 'completed', n: 0 });
    expect(attempt?.startedAt.getTime()).toBeGreaterThanOrEqual(resumedAt);
    expect(JSON.stringify(attempt?.notes)).toContain('begun anew');
  });

  it('does not start an attempt whose consent comes after the signal; the next owner does', async () => {
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await lab.probe('slow', { script: (attempt) => (attempt.end === 'far' ? answered.then(() => ({})) : {}) });
    const begunBefore = startedOn('a');
    const id = await lab.start({ paths: ['a-slow'], tests: [scripted(1, { measurement: 'scripted-served' })] });
    const replica = lab.replicas.at(-1);
    await replica?.execution.poke();
    await until('the far side to be asked', 15_000, () => lab.probes.get('slow')?.calls.includes('respond') ?? false);
    replica?.execution.drain();
    answer();
    await until('the leg to be let go of', 5_000, async () => (await lab.document(id)).legs[0]?.owner === null);
    expect(startedOn('a')).toBe(begunBefore);
    expect((await lab.document(id)).legs[0]?.steps[0]?.attempts).toMatchObject([{ n: 0, outcome: null }]);
    await replica?.stop();
    await lab.replica();
    const run = await lab.ended(id);
    expect(run.state).toBe('succeeded');
    expect(run.legs[0]?.steps[0]?.attempts).toMatchObject([{ n: 0, outcome: 'completed' }]);
    expect(startedOn('a')).toBe(begunBefore + 1);
  });
});
