import { describe, expect, it, test } from 'vitest';
import { type ComparisonSpec, compareRuns } from './comparison.js';

/** Ten runs around a level, spread evenly over plus and minus `spread`. */
const runs = (level: number, spread: number, n = 10) =>
  Array.from({ length: n }, (_, i) => level + spread * ((2 * ((i * 7) % n)) / (n - 1) - 1));
const up = (before: number[], after: number[], over: Partial<ComparisonSpec> = {}) =>
  compareRuns({ before, after, direction: 'higher-is-better', ...over });

describe('the rule of METHODS.md, section E', () => {
  test.each([
    ['improved', runs(100, 0.5), runs(110, 0.5), 'improved', 'regressed'],
    ['regressed', runs(100, 0.5), runs(90, 0.5), 'regressed', 'improved'],
    ['equivalent', runs(100, 0.5), runs(101, 0.5), 'equivalent', 'equivalent'],
    ['changed: not 0, not surely beyond the margin', runs(100, 1), runs(103.2, 1), 'changed', 'changed'],
    ['inconclusive', runs(100, 20), runs(102, 20), 'inconclusive', 'inconclusive'],
  ])('%s', (_name, before, after, higher, lower) => {
    expect(up(before, after).verdict).toBe(higher);
    expect(compareRuns({ before, after, direction: 'lower-is-better' }).verdict).toBe(lower);
  });

  it('takes 3 % of the before median as margin unless told, never the noise', () => {
    expect(up(runs(200, 1), runs(210, 1)).margin).toBeCloseTo(6, 9);
    expect(up(runs(200, 50), runs(210, 50)).margin).toBeCloseTo(6, 9);
    expect(up(runs(200, 1), runs(210, 1), { marginRatio: 0.1 }).verdict).toBe('equivalent');
    expect(up(runs(200, 1), runs(210, 1), { margin: 2 })).toMatchObject({ margin: 2, verdict: 'improved' });
  });

  it('takes wider intervals for more primary metrics', () => {
    const one = up(runs(100, 3), runs(106, 3));
    const ten = up(runs(100, 3), runs(106, 3), { primaryMetrics: 10 });
    expect(ten.smallestShift ?? 0).toBeGreaterThan(one.smallestShift ?? 0);
    expect(ten.interval?.coverage ?? 0).toBeGreaterThanOrEqual(0.995);
  });

  it('cannot conclude from three a side, and from five pairs', () => {
    expect(up([1, 2, 3], [11, 12, 13])).toMatchObject({ verdict: 'inconclusive', interval: null, smallestShift: null });
    const five = [1, 2, 3, 4, 5];
    expect(
      up(
        five,
        five.map((v) => v + 9),
        { paired: true },
      ).interval,
    ).toBeNull();
  });

  it('uses pairs where the runs were taken in turn', () => {
    const drift = Array.from({ length: 8 }, (_, i) => 100 + 10 * i);
    const after = drift.map((v, i) => v + 8 + (i % 2) * 0.5);
    expect(up(drift, after).verdict).not.toBe('improved');
    expect(up(drift, after, { paired: true }).verdict).toBe('improved');
  });

  it('stops by width, and says about how many runs it would take', () => {
    const narrow = up(runs(100, 0.5), runs(100, 0.5));
    expect(narrow).toMatchObject({ settled: true, runsToSettle: null });
    const wide = up(runs(100, 4), runs(100, 4));
    expect(wide.settled).toBe(false);
    expect(wide.runsToSettle).toBeGreaterThan(10);
    expect(wide.runsToSettle).toBeLessThanOrEqual(30);
    expect(up(runs(100, 20, 30), runs(100, 20, 30)).settled).toBe(true);
  });
});

describe('how often the rule is right', () => {
  const gaussian = (seed: number) => {
    let state = seed * 2 + 1;
    const next = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    // Box and Muller.
    return () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
  };
  const share = (seeds: number, hit: (normal: () => number) => boolean) =>
    Array.from({ length: seeds }, (_, i) => hit(gaussian(i + 11))).filter(Boolean).length / seeds;
  const sample = (level: number, sd: number, normal: () => number) =>
    Array.from({ length: 10 }, () => level + sd * normal());

  it('finds a difference in at most 6 % of 2,000 comparisons of the same with the same, however noisy', () => {
    for (const sd of [0.5, 3, 15]) {
      const wrong = share(2000, (normal) =>
        ['improved', 'regressed'].includes(up(sample(100, sd, normal), sample(100, sd, normal)).verdict),
      );
      expect(wrong).toBeLessThanOrEqual(0.06);
    }
  });

  it('finds a shift of the margin plus twice the noise in at least 95 % with ten a side', () => {
    const found = share(
      1000,
      (normal) => up(sample(100, 2, normal), sample(100 + 3 + 4, 2, normal)).verdict === 'improved',
    );
    expect(found).toBeGreaterThanOrEqual(0.95);
  });
});
