import { afterAll, beforeAll, expect, it } from 'vitest';
import { Lab, scripted, until } from './lab.js';

/** A long light test gives way to one that needs the path for itself, and is begun anew after it. */
let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open();
  await lab.probe('a');
  await lab.probe('b');
  await lab.replica();
});
afterAll(() => lab.close());

const slow = (sleepMs: number) => ({
  ...scripted(sleepMs),
  kind: 'scripted-background',
  measurement: 'scripted-background',
});
const attemptsOf = (run: Awaited<ReturnType<Lab['document']>>) => run.legs[0]?.steps[0]?.attempts ?? [];
const running = async (id: string) =>
  until('its program to run', 10_000, async () => {
    const [attempt] = attemptsOf(await lab.document(id));
    return Array.isArray(attempt?.commands) && attempt.commands.length > 0;
  });

it('gives way to an exclusive leg within moments, and goes on after it', async () => {
  const background = await lab.start({ paths: ['a-b'], tests: [slow(4_000)] });
  await running(background);
  const heavy = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(300)] }), 3_500);
  expect(heavy.state).toBe('succeeded');
  expect((await lab.document(background)).state).toBe('running');
  const run = await lab.ended(background, 20_000);
  expect(run.state).toBe('succeeded');
  expect(attemptsOf(run).map(({ reason, outcome }) => reason ?? outcome)).toEqual(['superseded', 'completed']);
  expect(attemptsOf(run).map(({ retryOf }) => retryOf)).toEqual([null, 0]);
  // Nothing of it ran beside the other: its second try began after the other had ended.
  expect(attemptsOf(run)[1]?.startedAt.getTime()).toBeGreaterThanOrEqual(heavy.endedAt?.getTime() ?? Infinity);
  expect(await lab.client.claim.count()).toBe(0);
});

it('stays where only light tests come', async () => {
  const background = await lab.start({ paths: ['a-b'], tests: [slow(1_500)] });
  await running(background);
  const light = { ...scripted(5), kind: 'scripted-light', measurement: 'scripted-light' };
  expect((await lab.ended(await lab.start({ paths: ['a-b'], tests: [light] }))).state).toBe('succeeded');
  expect(attemptsOf(await lab.ended(background)).map(({ outcome }) => outcome)).toEqual(['completed']);
});

it('is cancelled while it waits to go on', async () => {
  const background = await lab.start({ paths: ['a-b'], tests: [slow(5_000)] });
  await running(background);
  const heavy = await lab.start({ paths: ['a-b'], tests: [scripted(3_000)] });
  await until('the exclusive leg to run', 5_000, async () => attemptsOf(await lab.document(heavy)).length > 0);
  await lab.replicas[0]?.execution.cancelRun(background);
  const run = await lab.ended(background, 2_500);
  expect(run.state).toBe('cancelled');
  expect(attemptsOf(run)[0]?.outcome).toBe('cancelled');
  expect((await lab.ended(heavy)).state).toBe('succeeded');
});
