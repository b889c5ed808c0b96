import { PathMtuSpec, pathMtuMetricsOf, pathMtuVerdict, type TriedSize } from '@plumbline/measure';
import { missing, type Path } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptPlan, AttemptResult } from '../../kind.js';
import { completed, failed, only, somePath, stored } from '../../test-support/attempts.js';
import { pathMtuKind } from './index.js';

/** A path whose answer is known. */
interface Simulated {
  readonly mtuBytes: number;
  readonly signalled: boolean;
}

function carriedOut(plan: AttemptPlan, { mtuBytes, signalled }: Simulated): AttemptResult {
  const sizes = PathMtuSpec.parse(plan.spec).sizesBytes.map((sizeBytes): TriedSize => {
    const passes = sizeBytes <= mtuBytes;
    const signals = !passes && signalled ? [{ from: '192.0.2.2', mtuBytes }] : [];
    return { sizeBytes, sent: 3, replies: passes ? 3 : 0, signals, errors: [] };
  });
  const result = { tool: 'ping', ...pathMtuVerdict(sizes), sizes };
  return completed(plan, pathMtuMetricsOf(result, { outcome: 'completed' }));
}

/** Ends: with the step, or the test fails. */
function run(test: object, ways: Record<string, Simulated>, path: Path = somePath()): AttemptResult[] {
  const results: AttemptResult[] = [];
  for (;;) {
    const plan = pathMtuKind.next(stored(pathMtuKind, test), path, results);
    if (!plan) return results;
    results.push(carriedOut(plan, ways[plan.cell.direction ?? 'only'] ?? { mtuBytes: 1500, signalled: true }));
    if (results.length > 100) throw new Error('the step does not end');
  }
}
const summary = (test: object, results: AttemptResult[]) => pathMtuKind.summarise(stored(pathMtuKind, test), results);

describe('path-mtu', () => {
  test('each way, one attempt where a hop says so', () => {
    const ways = { forward: { mtuBytes: 1400, signalled: true }, reverse: { mtuBytes: 1500, signalled: true } };
    const results = run({}, ways);
    expect(results.map(({ plan }) => [plan.cell.direction, 'startsAt' in plan ? plan.startsAt : 'near'])).toEqual([
      ['forward', 'near'],
      ['reverse', 'far'],
    ]);
    const metrics = summary({}, results);
    expect(only(metrics, 'path-mtu', { direction: 'forward' }).value).toBe(1400);
    expect(only(metrics, 'path-mtu', { direction: 'reverse' }).value).toBe(1500);
    expect(only(metrics, 'black-hole', { direction: 'forward' }).value).toBe(0);
    expect(only(metrics, 'path-mtu.refused', { direction: 'reverse' })).toMatchObject({
      value: null,
      reason: 'not-measured-here',
    });
  });

  test('a black hole is narrowed down to the byte, in few rounds', () => {
    const test = { direction: 'forward', ceilingBytes: 9000 };
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 8999 }), (mtuBytes) => {
        const results = run(test, { only: { mtuBytes, signalled: false } });
        expect(results.length).toBeLessThanOrEqual(5);
        const metrics = summary(test, results);
        expect(only(metrics, 'path-mtu').value).toBe(mtuBytes);
        expect(only(metrics, 'path-mtu.refused').value).toBe(mtuBytes + 1);
        expect(only(metrics, 'black-hole').value).toBe(1);
        expect(only(metrics, 'path-mtu').spread?.count).toBe(1);
      }),
    );
  });

  test('repeats are samples of their own', () => {
    const test = { direction: 'forward', repeats: 2 };
    const results = run(test, { only: { mtuBytes: 1450, signalled: false } });
    expect(results.filter(({ plan }) => plan.repeat === 2).length).toBeGreaterThan(1);
    expect(only(summary(test, results), 'path-mtu')).toMatchObject({ value: 1450, spread: { count: 2 } });
  });

  test('tries up to the path’s own MTU unless told otherwise', () => {
    const sizes = (test: object, path: Path) =>
      PathMtuSpec.parse(pathMtuKind.attempts(stored(pathMtuKind, test), path)[0]?.spec).sizesBytes.at(-1);
    expect(sizes({}, somePath({ mtu: 9000 }))).toBe(9000);
    expect(sizes({ ceilingBytes: 1600 }, somePath({ mtu: 9000 }))).toBe(1600);
    expect(sizes({}, somePath())).toBe(1500);
  });

  test('nobody answers: no number, and no further attempt', () => {
    const test = { direction: 'forward' };
    const [plan] = pathMtuKind.attempts(stored(pathMtuKind, test), somePath());
    const silent = completed(plan!, [
      missing('path-mtu', 'B', 'no-reply'),
      missing('path-mtu.refused', 'B', 'no-reply'),
      missing('black-hole', 'count', 'no-reply'),
    ]);
    expect(pathMtuKind.next(stored(pathMtuKind, test), somePath(), [silent])).toBeUndefined();
    expect(only(summary(test, [silent]), 'path-mtu')).toMatchObject({ value: null, reason: 'no-reply' });
    const refused = failed(plan!, 'tool-missing');
    expect(only(summary(test, [refused]), 'black-hole')).toMatchObject({ value: null, reason: 'attempt-failed' });
  });

  test('a path that goes down between two rounds gives no number', () => {
    const test = { direction: 'forward' };
    const first = run(test, { only: { mtuBytes: 1450, signalled: false } }).slice(0, 1);
    const plan = pathMtuKind.next(stored(pathMtuKind, test), somePath(), first);
    const results = [...first, failed(plan!, 'no-route')];
    expect(pathMtuKind.next(stored(pathMtuKind, test), somePath(), results)).toBeUndefined();
    expect(only(summary(test, results), 'path-mtu')).toMatchObject({ value: null, reason: 'attempt-failed' });
  });

  test.each([{ ceilingBytes: 40 }, { ceilingBytes: 70_000 }, { echoes: 0 }, { omitS: 3 }])('refuses %j', (test) => {
    expect(() => stored(pathMtuKind, test)).toThrow();
  });
});
