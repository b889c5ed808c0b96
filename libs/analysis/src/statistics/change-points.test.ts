import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { close, closeList } from '../test-support/close.js';
import { bestSplit, changePoints, splitStatistics } from './e-divisive.js';

const OTAVA = [0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149, 149.7, 149.5, 149.1, 148.8, 150];

describe('vector 19: E-divisive (distinct pairs)', () => {
  test.each([
    [[1, 2, 1, 2, 6, 5, 6, 5], [2.83333, 3.3, 8.375, 13.3333, 6.625, 3.3, 1.66667], 4, 40 / 3],
    [[19, 19, 20, 19, 20, 9, 10, 9], [2.41667, 5.8, 10, 18.1667, 35.375, 17.7, 8.83333], 5, 283 / 8],
  ])('%j with kappa at the end', (values, q, tau, best) => {
    closeList(splitStatistics(values), q);
    const found = bestSplit(values, false);
    expect(found).toMatchObject({ tau, kappa: values.length });
    close(found?.q, best);
  });

  it('finds a passing level only with kappa free', () => {
    const values = [10, 10, 11, 10, 30, 31, 30, 10, 11, 10, 11, 10];
    const fixed = bestSplit(values, false);
    expect(fixed?.tau).toBe(7);
    close(fixed?.q, 185 / 12);
    const free = bestSplit(values);
    expect(free).toMatchObject({ tau: 4, kappa: 7 });
    close(free?.q, 468 / 7);
  });

  it("splits Otava's own series twice", () => {
    const best = bestSplit(OTAVA);
    expect(best).toMatchObject({ tau: 5, kappa: 14 });
    close(best?.q, 761.282);
    expect(changePoints(OTAVA, { seed: 1 }).map((p) => p.index)).toEqual([5, 8]);
  });

  it('equals the definition computed the long way', () => {
    const mean = (list: number[]) => (list.length === 0 ? 0 : list.reduce((a, b) => a + b, 0) / list.length);
    const within = (list: number[]) => mean(list.flatMap((a, i) => list.slice(i + 1).map((b) => Math.abs(a - b))));
    const q = (x: number[], y: number[]) =>
      ((x.length * y.length) / (x.length + y.length)) *
      (2 * mean(x.flatMap((a) => y.map((b) => Math.abs(a - b)))) - within(x) - within(y));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 9 }), (values) => {
        const all: number[] = [];
        for (let tau = 1; tau < values.length; tau++)
          for (let kappa = tau + 1; kappa <= values.length; kappa++)
            all.push(q(values.slice(0, tau), values.slice(tau, kappa)));
        expect(bestSplit(values)?.q).toBeCloseTo(Math.max(...all), 8);
      }),
    );
  });
});

describe('change points of a history', () => {
  const random = (seed: number) => {
    let state = seed;
    return () => {
      state = (state * 16_807) % 2_147_483_647;
      return state / 2_147_483_647;
    };
  };

  it('gives the same answer for the same seed, in order of time, with what it was sure of', () => {
    const next = random(7);
    const values = Array.from({ length: 60 }, (_, i) => (i < 20 ? 100 : i < 40 ? 80 : 100) + next() * 4);
    const found = changePoints(values, { seed: 3 });
    expect(found.map((p) => p.index)).toEqual([20, 40]);
    expect(found).toEqual(changePoints(values, { seed: 3 }));
    for (const point of found) expect(point.p).toBeLessThanOrEqual(0.05);
  });

  it('finds none in noise nearly always', () => {
    const false_ = Array.from({ length: 60 }, (_, seed) => {
      const next = random(seed + 1);
      return changePoints(Array.from({ length: 24 }, next), { seed, permutations: 99 }).length > 0;
    }).filter(Boolean);
    // 5 % of 60 are 3; 9 or more would happen once in 300 times.
    expect(false_.length).toBeLessThanOrEqual(8);
  });

  it('finds none where nothing changes or too little is known', () => {
    expect(changePoints([5, 5, 5, 5, 5, 5, 5, 5], { seed: 1 })).toEqual([]);
    expect(changePoints([1, 9], { seed: 1 })).toEqual([]);
    expect(changePoints([], { seed: 1 })).toEqual([]);
    expect(bestSplit([1])).toBeNull();
  });
});
