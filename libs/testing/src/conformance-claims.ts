import { expect, test } from 'vitest';
import type { ConformanceSubject, Driver } from './conformance-driver.js';

const asleep = { phases: [{ name: 'main', stdout: 'begun', sleepMs: 30_000 }] };
const light = { kind: 'scripted-light/sh', shared: true };

/** Fences grow from test to test: the marks of earlier tests stay, as they must. */
export function conformanceOfClaims(driver: () => Driver, subject: () => ConformanceSubject): void {
  const stop = (id: string) => driver().connection.stop({ attemptId: id, reason: 'cancelled-by-user' });

  test('a newer exclusive attempt ends the older one first; an older one is refused', async () => {
    const [older, newer, late] = [driver().id(), driver().id(), driver().id()];
    await driver().begin({ id: older, fence: 10n, spec: asleep });
    const second = await driver().run({ id: newer, fence: 11n });
    expect(second.finished).toMatchObject({ outcome: 'completed' });
    const first = await driver().attach(older);
    expect(first.finished).toMatchObject({ outcome: 'cancelled', reason: 'superseded' });
    expect(first.finished?.endedAt?.getTime()).toBeLessThanOrEqual(second.events[0]?.at?.getTime() ?? 0);
    const third = await driver().run({ id: late, fence: 10n });
    expect(third.finished).toMatchObject({ outcome: 'refused', reason: 'fence-stale' });
  });

  test('many at once: only the newest is left, and no two ever overlap', async () => {
    const fences = [25n, 22n, 28n, 21n, 27n, 23n];
    const ran = await Promise.all(
      fences.map((fence) =>
        driver().run({ id: driver().id(), fence, spec: { phases: [{ name: 'main', sleepMs: 150 }] } }),
      ),
    );
    const times = ran.flatMap(({ events, finished }) => {
      const started = events.find((e) => e.event?.$case === 'started')?.at?.getTime();
      return started === undefined ? [] : [{ from: started, to: finished?.endedAt?.getTime() ?? Number.NaN }];
    });
    times.sort((a, b) => a.from - b.from);
    for (const [i, { to }] of times.entries()) expect(times[i + 1]?.from ?? to).toBeGreaterThanOrEqual(to);
    expect(ran[2]?.finished).toMatchObject({ outcome: 'completed' });
    for (const { finished } of ran) expect(['', 'superseded', 'fence-stale']).toContain(finished?.reason);
  });

  test('attempts of one leg have one fence and do not fight', async () => {
    const ids = [driver().id(), driver().id()];
    const spec = { phases: [{ name: 'main', sleepMs: 300 }] };
    const both = await Promise.all(ids.map((id) => driver().run({ id, fence: 30n, spec })));
    expect(both.map((h) => h.finished?.outcome)).toEqual(['completed', 'completed']);
  });

  test('shared attempts overlap and do not raise the mark; an exclusive one ends them', async () => {
    const ids = [driver().id(), driver().id()];
    await driver().begin({ id: ids[0] ?? '', fence: 42n, ...light, spec: asleep });
    await driver().begin({ id: ids[1] ?? '', fence: 41n, ...light, spec: asleep });
    const early = await driver().run({ id: driver().id(), fence: 40n });
    expect(early.finished).toMatchObject({ outcome: 'refused', reason: 'fence-stale' });
    await stop(ids[0] ?? '');
    await stop(ids[1] ?? '');
    expect((await driver().run({ id: driver().id(), fence: 40n })).finished).toMatchObject({ outcome: 'completed' });
    const third = driver().id();
    await driver().begin({ id: third, fence: 43n, ...light, spec: asleep });
    expect((await driver().run({ id: driver().id(), fence: 44n })).finished).toMatchObject({ outcome: 'completed' });
    expect((await driver().attach(third)).finished).toMatchObject({ outcome: 'cancelled', reason: 'superseded' });
  });

  test('a shared attempt is refused where a newer exclusive one is or was, and ends an older one', async () => {
    const running = driver().id();
    await driver().begin({ id: running, fence: 50n, spec: asleep });
    const late = await driver().run({ id: driver().id(), fence: 49n, ...light });
    expect(late.finished).toMatchObject({ outcome: 'refused', reason: 'fence-stale' });
    expect((await driver().run({ id: driver().id(), fence: 51n, ...light })).finished?.outcome).toBe('completed');
    expect((await driver().attach(running)).finished).toMatchObject({ outcome: 'cancelled', reason: 'superseded' });
    expect((await driver().run({ id: driver().id(), fence: 49n, ...light })).finished?.reason).toBe('fence-stale');
  });

  test('what is stopped while it waits for an older one to end does not start', async () => {
    const [older, newer] = [driver().id(), driver().id()];
    const stubborn = { phases: [{ name: 'main', sleepMs: 30_000, ignoresTerm: true }] };
    await driver().begin({ id: older, fence: 52n, spec: stubborn });
    const running = driver().run({ id: newer, fence: 53n, spec: asleep });
    await new Promise((resolve) => setTimeout(resolve, 120));
    await stop(newer);
    expect((await running).finished).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
    expect((await driver().attach(older)).finished).toMatchObject({ reason: 'superseded' });
  });

  test('interfaces do not disturb each other; an endpoint without one is the whole probe', async () => {
    const [one, two] = [driver().id(), driver().id()];
    await driver().begin({ id: one, fence: 60n, spec: asleep });
    await driver().begin({ id: two, endpoint: 'two', fence: 59n, spec: asleep });
    expect((await driver().run({ id: driver().id(), endpoint: 'whole', fence: 58n })).finished?.reason).toBe(
      'fence-stale',
    );
    expect((await driver().run({ id: driver().id(), endpoint: 'whole', fence: 61n })).finished?.outcome).toBe(
      'completed',
    );
    for (const id of [one, two]) expect((await driver().attach(id)).finished).toMatchObject({ reason: 'superseded' });
    expect((await driver().run({ id: driver().id(), endpoint: 'two', fence: 60n })).finished?.reason).toBe(
      'fence-stale',
    );
  });

  test('an exclusive measurement is not run under a shared claim', async () => {
    const heard = await driver().run({ id: driver().id(), fence: 70n, shared: true });
    expect(heard.finished).toMatchObject({ outcome: 'refused', reason: 'spec-invalid' });
  });

  test('the far side obeys the same fences', async () => {
    const older = driver().id();
    await driver().begin({ id: older, fence: 80n, spec: asleep });
    const { claim, spec } = driver().request({ id: driver().id(), fence: 81n, kind: 'scripted-served/sh' });
    await driver().connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.9' });
    expect((await driver().attach(older)).finished).toMatchObject({ outcome: 'cancelled', reason: 'superseded' });
    const late = driver().request({ id: driver().id(), fence: 79n, kind: 'scripted-served/sh' });
    const respond = driver().connection.respond({ claim: late.claim, spec, endpoint: 'one', peerAddress: '127.0.0.9' });
    await expect(respond).rejects.toMatchObject({ problem: 'refused', reason: 'fence-stale' });
    await stop(claim.attemptId);
  });

  test('the mark outlives the probe', async () => {
    expect((await driver().run({ id: driver().id(), fence: 90n })).finished?.outcome).toBe('completed');
    await subject().restart();
    driver().reconnect();
    expect((await driver().run({ id: driver().id(), fence: 89n })).finished?.reason).toBe('fence-stale');
    expect((await driver().run({ id: driver().id(), fence: 91n })).finished?.outcome).toBe('completed');
  });
}
