import { describe, expect, test } from 'vitest';
import { completed, failed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { hopCharacterization } from './index.js';

const plansOf = (test: object, path = somePath()) =>
  hopCharacterization.attempts(stored(hopCharacterization, test), path);

describe('hop-characterization', () => {
  test('by pchar, with packets up to the path’s MTU', () => {
    expect(plansOf({ sizes: 12, repetitions: 8 })).toMatchObject([
      { measurement: 'hops', tool: 'pchar', spec: { sizes: 12, repetitions: 8, maxBytes: 1500, maxDurationS: 900 } },
    ]);
    expect(plansOf({}, somePath({ mtu: 1400 }))[0]?.spec).toMatchObject({ maxBytes: 1400 });
    expect(plansOf({}, somePath({ mtu: 68 }))[0]?.spec).toMatchObject({ maxBytes: 128 });
    expect(plansOf({ direction: 'reverse' })).toMatchObject([{ startsAt: 'far' }]);
  });

  test('keeps each hop with its fit', () => {
    const results = plansOf({}).map((plan) =>
      completed(plan, [value('hop.rate', 'bit/s', 20e6, { hop: '2' }), value('hop.r2', 'ratio', 0.97, { hop: '2' })]),
    );
    const metrics = hopCharacterization.summarise(stored(hopCharacterization, {}), results);
    expect(only(metrics, 'hop.rate', { hop: '2' }).value).toBe(20e6);
    expect(only(metrics, 'hop.r2', { hop: '2' }).value).toBe(0.97);
    const refused = plansOf({}).map((plan) => failed(plan, 'tool-missing'));
    expect(only(hopCharacterization.summarise(stored(hopCharacterization, {}), refused), 'path.rate').reason).toBe(
      'attempt-failed',
    );
  });

  test.each([{ sizes: 2 }, { repetitions: 1 }, { maxHops: 99 }, { size: 12 }])('refuses %j', (test) => {
    expect(() => stored(hopCharacterization, test)).toThrow();
  });
});
