import { expect, test } from 'vitest';
import type { ConformanceSubject, Driver } from './conformance-driver.js';

/** Nothing is lost with a stream, a second call starts nothing, and a probe comes back with what it had. */
export function conformanceOfSpool(driver: () => Driver, subject: () => ConformanceSubject): void {
  const spec = { phases: [{ name: 'main', stdout: 'out', sleepMs: 200 }] };
  const names = async () => (await driver().connection.listAttempts()).attempts.map((a) => a.attemptId);

  test('losing the stream does not end the attempt; a second Execute attaches and starts nothing', async () => {
    const id = driver().id();
    await driver().begin({ id, fence: 1n, spec });
    const [again, attached] = await Promise.all([driver().run({ id, fence: 1n, spec }), driver().attach(id)]);
    expect(again.story.filter((name) => name === 'started')).toHaveLength(1);
    expect(again.finished).toMatchObject({ outcome: 'completed' });
    expect(attached.prints).toEqual(again.prints);
    expect((await driver().run({ id, fence: 1n, spec })).prints).toEqual(again.prints);
  });

  test('two calls at once with one id start one attempt', async () => {
    const id = driver().id();
    const both = await Promise.all([driver().run({ id, fence: 1n, spec }), driver().run({ id, fence: 1n, spec })]);
    expect(both[0]?.prints).toEqual(both[1]?.prints);
  });

  test('a replay goes on exactly after the sequence that is named, in the middle of an artifact too', async () => {
    const id = driver().id();
    const whole = await driver().run({ id, fence: 1n, spec: { phases: [{ name: 'main', floodBytes: 600_000 }] } });
    for (const after of [0n, 1n, 2n, 3n, 4n, 7n, BigInt(whole.events.length - 1)]) {
      const rest = await driver().attach(id, after);
      expect(rest.prints).toEqual(whole.prints.slice(Number(after)));
    }
  });

  test('attaching to what it does not know is not-found', async () => {
    await expect(driver().attach('no-such-attempt')).rejects.toMatchObject({ problem: 'not-found' });
  });

  test('a finished attempt waits until it is acknowledged, and cannot be started again', async () => {
    const id = driver().id();
    await driver().run({ id, fence: 1n, spec });
    expect(await names()).toContain(id);
    await driver().connection.acknowledge({ attemptId: id });
    await driver().connection.acknowledge({ attemptId: id });
    expect(await names()).not.toContain(id);
    await expect(driver().attach(id)).rejects.toMatchObject({ problem: 'not-found' });
    const again = await driver().run({ id, fence: 1n, spec });
    expect(again.story).toEqual(['finished']);
    expect(again.finished).toMatchObject({ outcome: 'refused', reason: 'fence-stale' });
  });

  test('after a restart the finished ones are there to the byte, and those that ran are lost with what they had said', async () => {
    const [finished, running, far, stopped] = [driver().id(), driver().id(), driver().id(), driver().id()];
    const before = await driver().run({ id: finished, fence: 2n, spec });
    await driver().connection.stop({ attemptId: stopped, reason: 'cancelled-by-user' });
    const served = driver().request({ id: far, fence: 2n, kind: 'scripted-served/sh' });
    await driver().connection.respond({
      claim: served.claim,
      spec: served.spec,
      endpoint: 'one',
      peerAddress: '127.0.0.9',
    });
    await driver().begin({
      id: running,
      fence: 2n,
      spec: { phases: [{ name: 'main', stdout: 'said', sleepMs: 30_000 }] },
    });
    await subject().restart();
    driver().reconnect();
    expect((await driver().attach(finished)).prints).toEqual(before.prints);
    const lost = await driver().run({ id: running, fence: 2n, spec });
    expect(lost.story.filter((name) => name === 'started')).toHaveLength(1);
    for (const heard of [lost, await driver().attach(far)])
      expect(heard.finished).toMatchObject({ outcome: 'lost', reason: 'probe-stopped' });
    const { attempts } = await driver().connection.listAttempts();
    expect(attempts.filter((a) => a.running)).toEqual([]);
    expect((await driver().run({ id: stopped, fence: 2n, spec })).finished).toMatchObject({ outcome: 'cancelled' });
  });
}
