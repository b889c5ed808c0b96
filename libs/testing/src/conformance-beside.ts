import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Driver, Heard } from './conformance-driver.js';

const load = { name: 'load', stdout: 'load', sleepMs: 20_000, beside: { leadMs: 150, graceMs: 50 } };
const main = { name: 'main', stdout: 'main', sleepMs: 200 };

/** When a phase's program ran, in ms. */
function span({ finished }: Heard, name: string): { from: number; to: number } {
  const phase = finished?.phases.find((one) => one.phase === name);
  return { from: phase?.startedAt?.getTime() ?? Number.NaN, to: phase?.endedAt?.getTime() ?? Number.NaN };
}
const names = ({ finished }: Heard) => finished?.phases.map(({ phase }) => phase);
const signals = ({ finished }: Heard) => finished?.phases.map(({ signal }) => signal);

/** Programs that run at the same time, on the near side and beside servers. */
export function conformanceOfBeside(driver: () => Driver): void {
  const run = (phases: object[]) => driver().run({ id: driver().id(), fence: 1n, spec: { phases } });

  test('one beside another starts its lead before it and is ended after its grace, which is no failure', async () => {
    const heard = await run([load, main, { name: 'after' }]);
    expect(heard.finished).toMatchObject({ outcome: 'completed', reason: '' });
    expect(names(heard)).toEqual(['load', 'main', 'after']);
    expect(signals(heard)).toEqual(['SIGTERM', '', '']);
    const [beside, tested, after] = [span(heard, 'load'), span(heard, 'main'), span(heard, 'after')];
    expect(tested.from - beside.from).toBeGreaterThan(140);
    expect(beside.to).toBeGreaterThan(tested.to);
    expect(after.from).toBeGreaterThanOrEqual(beside.to);
    expect(heard.artifact('load.stdout')?.toString()).toBe('load');
    expect(heard.artifact('main.stdout')?.toString()).toBe('main');
  });

  test('several at once: each has its own output and its own end, and none is cut short', async () => {
    const beside = { leadMs: 0, graceMs: 10_000 };
    const phases = ['a', 'b', 'c'].map((name, i) => ({ name, stdout: name, sleepMs: 500 - 100 * i, file: name }));
    const heard = await run(phases.map((phase, i) => (i < 2 ? { ...phase, beside } : phase)));
    expect(heard.finished).toMatchObject({ outcome: 'completed' });
    expect(signals(heard)).toEqual(['', '', '']);
    const spans = phases.map(({ name }) => span(heard, name));
    expect(Math.max(...spans.map(({ from }) => from))).toBeLessThan(Math.min(...spans.map(({ to }) => to)));
    for (const { name } of phases) expect(heard.artifact(`${name}.stdout`)?.toString()).toBe(`${name}${name}`);
  });

  test('the next one does not wait for the whole lead when the text of readiness has come', async () => {
    const ready = {
      ...load,
      stderr: 'is listening on',
      beside: { leadMs: 20_000, graceMs: 0, readyText: 'listening' },
    };
    const heard = await run([ready, main]);
    expect(heard.finished).toMatchObject({ outcome: 'completed' });
    const [beside, tested] = [span(heard, 'load'), span(heard, 'main')];
    expect(tested.from - beside.from).toBeLessThan(10_000);
  });

  test('nor for one that has ended before its lead is over', async () => {
    const short = { ...load, sleepMs: 0, beside: { leadMs: 20_000, graceMs: 20_000 } };
    expect((await run([short, main])).finished).toMatchObject({ outcome: 'completed' });
  });

  test('when the measured one fails, that is the reason, and what runs beside it is ended at once', async () => {
    const patient = { ...load, beside: { leadMs: 50, graceMs: 20_000 } };
    const heard = await run([patient, { ...main, exitCode: 3 }, { name: 'after' }]);
    expect(heard.finished).toMatchObject({ outcome: 'failed', reason: 'tool-failed' });
    expect(names(heard)).toEqual(['load', 'main']);
    expect(signals(heard)).toEqual(['SIGTERM', '']);
  });

  test('when one beside fails, the measured one is ended and that is the reason, unless it is optional', async () => {
    const failing = { ...load, sleepMs: 200, exitCode: 4, beside: { leadMs: 50, graceMs: 20_000 } };
    const heard = await run([failing, { ...main, sleepMs: 20_000 }]);
    expect(heard.finished).toMatchObject({ outcome: 'failed', reason: 'tool-failed' });
    expect(heard.finished?.phases).toMatchObject([{ exitCode: 4 }, { signal: 'SIGTERM' }]);
    const spared = await run([{ ...failing, sleepMs: 100, optional: true }, main]);
    expect(spared.finished).toMatchObject({ outcome: 'completed' });
    expect(spared.finished?.phases).toMatchObject([{ exitCode: 4 }, { exitCode: 0 }]);
  });

  test('Stop ends all of them at once, though they ignore TERM, and keeps what they said', async () => {
    const id = driver().id();
    const stubborn = { ignoresTerm: true, sleepMs: 20_000 };
    const phases = [
      { ...load, ...stubborn, capture: 'caught', beside: { leadMs: 0, graceMs: 20_000 } },
      { ...main, ...stubborn },
    ];
    await driver().begin({ id, fence: 1n, spec: { phases } });
    await sleep(300);
    const before = performance.now();
    expect(await driver().connection.stop({ attemptId: id, reason: 'cancelled-by-user' })).toEqual({
      wasRunning: true,
    });
    expect(performance.now() - before).toBeLessThan(1000);
    const heard = await driver().attach(id);
    expect(heard.finished).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
    expect(names(heard)).toEqual(['load', 'main']);
    expect(heard.artifact('load.stdout')?.toString()).toBe('load');
    expect(heard.artifact('load.capture')?.toString()).toBe('caught');
  });

  test('a capture is an artifact of its own kind', async () => {
    const heard = await run([{ ...load, capture: 'caught', file: 'in' }, main]);
    expect(heard.finished).toMatchObject({ outcome: 'completed' });
    const start = heard.events.flatMap(({ event }) =>
      event?.$case === 'artifactStart' && event.value.stream === 'capture' ? [event.value] : [],
    );
    expect(start).toMatchObject([{ name: 'load.capture', phase: 'load', tool: 'sh' }]);
    expect(heard.artifact('load.capture')?.toString()).toBe('caught');
  });

  test('the far side: companions start before the servers, each server has its port, and all end together', async () => {
    const companion = { name: 'capture', stderr: 'listening on', sleepMs: 30_000, capture: 'caught' };
    const beside = { leadMs: 10_000, graceMs: 0, readyText: 'listening on' };
    const spec = { servers: 2, companions: [{ ...companion, beside }] };
    const { claim, spec: served } = driver().request({
      id: driver().id(),
      fence: 2n,
      kind: 'scripted-served/sh',
      spec,
    });
    const answer = await driver().connection.respond({
      claim,
      spec: served,
      endpoint: 'one',
      peerAddress: '127.0.0.9',
    });
    const peer = JSON.parse(answer.peerJson);
    expect(new Set(peer.ports).size).toBe(2);
    expect(JSON.parse(answer.grant?.payloadJson ?? '')).toMatchObject({ port: peer.ports[0] });
    await driver().connection.stop({ attemptId: claim.attemptId, reason: 'cancelled-by-user' });
    const heard = await driver().attach(claim.attemptId);
    const started = heard.events.flatMap(({ event }) => (event?.$case === 'started' ? [event.value.phase] : []));
    expect(started).toEqual(['capture', 'server', 'server-2']);
    expect(names(heard)).toEqual(['capture', 'server', 'server-2']);
    expect(heard.artifact('capture.capture')?.toString()).toBe('caught');
  });

  test('the far side: a companion that fails is the reason, and no server is left', async () => {
    const failing = { name: 'capture', sleepMs: 0, exitCode: 1, beside: { leadMs: 5000, graceMs: 0 } };
    const { claim, spec } = driver().request({
      id: driver().id(),
      fence: 3n,
      kind: 'scripted-served/sh',
      spec: { companions: [failing] },
    });
    const respond = driver().connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.9' });
    await expect(respond).rejects.toMatchObject({ problem: 'refused', reason: 'server-not-ready' });
    const { attempts } = await driver().connection.listAttempts();
    expect(attempts.filter((a) => a.attemptId === claim.attemptId && a.running)).toEqual([]);
  });
}
