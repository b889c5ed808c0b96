import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { close, closeList } from '../test-support/close.js';
import { criticalT, criticalU } from './critical.js';
import { hodgesLehmannPaired, hodgesLehmannShift } from './hodges-lehmann.js';
import { holm } from './holm.js';
import { mannWhitney, mannWhitneyNormalP } from './mann-whitney.js';
import { normalQuantileTwoSided, normalTwoSided } from './normal.js';
import { rank } from './ranks.js';
import { signedRank, signedRankNormalP } from './signed-rank.js';

const upTo = (n: number, from = 1) => Array.from({ length: n }, (_, i) => i + from);
const TEN_X = [18.61, 18.72, 18.55, 18.9, 18.47, 18.66, 18.81, 18.59, 18.7, 18.77];
const TEN_Y = [19.02, 18.88, 19.15, 18.69, 19.21, 18.95, 19.08, 18.84, 19.11, 18.99];

describe('the normal distribution', () => {
  test.each([
    [0, 1],
    [1, 0.317310507862914],
    [1.96, 0.0499957902964409],
    [2.02158, 0.0432199],
    [3.5, 4.65258158044e-4],
    [6, 1.9731752900754e-9],
  ])('beyond %d', (z, p) => {
    close(normalTwoSided(z), p);
    close(normalQuantileTwoSided(normalTwoSided(z)), z);
  });
});

describe('vector 13: smallest p of Mann-Whitney, critical U and interval ranks', () => {
  test.each([
    [3, 3, 0.1],
    [4, 4, 0.0285714],
    [5, 5, 0.00793651],
    [6, 6, 0.0021645],
    [7, 7, 5.82751e-4],
    [8, 8, 1.554e-4],
    [9, 9, 4.11353e-5],
    [10, 10, 1.08251e-5],
    [3, 4, 0.0571429],
    [3, 5, 0.0357143],
    [4, 5, 0.015873],
    [2, 8, 0.0444444],
    [5, 10, 6.66001e-4],
  ])('%d against %d', (n, m, p) => {
    const found = mannWhitney(upTo(n), upTo(m, n + 1));
    expect(found.u1).toBe(0);
    close(found.p, p);
    close(found.pByDistance, p);
  });

  test.each([
    [4, 0, 0.0285714, 1, 16, 0.971429],
    [5, 2, 0.031746, 3, 23, 0.968254],
    [6, 5, 0.0411255, 6, 31, 0.958874],
    [7, 8, 0.0378788, 9, 41, 0.962121],
    [8, 13, 0.0498834, 14, 51, 0.950117],
    [9, 17, 0.0399835, 18, 64, 0.960016],
    [10, 23, 0.0432571, 24, 77, 0.956743],
    [12, 37, 0.044902, 38, 107, 0.955098],
    [15, 64, 0.0453339, 65, 161, 0.954666],
    [20, 127, 0.0490903, 128, 273, 0.95091],
    [30, 317, 0.04962, 318, 583, 0.95038],
  ])('critical U of %d a side is %d', (n, u, p, low, high, coverage) => {
    const found = criticalU(n, n, 0.05);
    expect(found?.value).toBe(u);
    close(found?.p, p);
    // The interval is cut at those ranks: shifts of 0 against 1 ... n * n.
    const { interval } = hodgesLehmannShift(
      upTo(n).map((i) => -i * n),
      upTo(n),
      0.05,
    );
    const differences = upTo(n)
      .flatMap((y) => upTo(n).map((x) => y + x * n))
      .sort((a, b) => a - b);
    expect(interval?.low).toBe(differences[low - 1]);
    expect(interval?.high).toBe(differences[high - 1]);
    close(interval?.coverage, coverage);
  });

  it('has no critical U for three a side', () => expect(criticalU(3, 3, 0.05)).toBeNull());

  const metrics = [1, 2, 3, 4, 5, 10];
  test.each([
    [6, [6, 4, 4, 3, 3, 2]],
    [8, [14, 11, 10, 9, 8, 7]],
    [10, [24, 21, 19, 18, 17, 14]],
    [15, [65, 59, 56, 53, 52, 47]],
    [20, [128, 118, 112, 109, 106, 98]],
    [30, [318, 299, 289, 282, 277, 263]],
  ])('simultaneous ranks of %d a side', (n, ranks) => {
    expect(metrics.map((m) => (criticalU(n, n, 0.05 / m)?.value ?? -1) + 1)).toEqual(ranks);
  });
  test.each([
    [6, [1, 0, 0, 0, 0, 0]],
    [7, [3, 1, 1, 0, 0, 0]],
    [8, [4, 3, 2, 1, 1, 0]],
    [9, [6, 4, 3, 3, 2, 1]],
    [10, [9, 6, 5, 4, 4, 2]],
    [15, [26, 21, 19, 18, 16, 13]],
    [20, [53, 46, 42, 40, 38, 33]],
    [30, [138, 125, 118, 113, 110, 99]],
  ])('simultaneous ranks of %d pairs (0: none)', (n, ranks) => {
    expect(metrics.map((m) => (criticalT(n, 0.05 / m)?.value ?? -1) + 1)).toEqual(ranks);
  });

  it('goes over to the normal form without a step', () => {
    for (const n of [55, 60, 61, 70]) {
      const sd = Math.sqrt((n * n * (2 * n + 1)) / 12);
      expect(Math.abs((criticalU(n, n, 0.05)?.value ?? 0) - ((n * n) / 2 - 1.95996 * sd))).toBeLessThan(2);
      const sdT = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24);
      expect(Math.abs((criticalT(n, 0.05)?.value ?? 0) - ((n * (n + 1)) / 4 - 1.95996 * sdT))).toBeLessThan(2);
    }
  });
});

describe('vector 14: Mann-Whitney on samples', () => {
  test.each([
    [[1, 2, 3], [4, 5, 6], 0, 9, 1 / 10, 0.0808556],
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0, 25, 1 / 126, 0.0121858],
    [[18.2, 18.5, 18.7, 18.9, 19.1], [19, 19.2, 19.3, 19.4, 19.5], 1, 24, 1 / 63, 0.0215717],
    [[94.1, 93.8, 94, 94.2, 93.9, 94.3], [93.7, 93.5, 94.05, 93.6, 93.4, 93.3], 33, 3, 1 / 66, 0.0202406],
    [[10, 11, 12, 12, 13], [12, 13, 14, 14, 15], 2.5, 22.5, 1 / 18, 0.0432196],
    [[1, 1, 2, 2], [2, 3, 3, 4], 1, 15, 3 / 35, 0.0515083],
    [[1, 1, 1], [2, 2, 2], 0, 9, 1 / 10, 0.0468542],
    [[19.3, 19.3, 19.3, 19.2, 19.3], [19.3, 19.2, 19.2, 19.2, 19.1], 20.5, 4.5, 1 / 6, 0.0832645],
    [[5, 5, 5, 5, 5], [5, 5, 5, 5, 5], 12.5, 12.5, 1, 1],
    [TEN_X, TEN_Y, 7, 93, 45 / 92_378, 0.00131494],
  ])('%j against %j', (x, y, u1, u2, exact, normal) => {
    const found = mannWhitney(x, y);
    expect(found).toMatchObject({ u1, u2, method: 'exact' });
    close(found.p, exact);
    close(mannWhitneyNormalP(x.length, y.length, u1, rank([...x, ...y]).ties), normal);
  });

  it('says which two-sided p is meant where they differ: unequal sizes with ties', () => {
    const found = mannWhitney([3, 1, 4, 1, 5], [9, 2, 6, 5, 3, 5]);
    expect(found.u1).toBe(6.5);
    close(found.p, 34 / 231);
    close(found.pByDistance, 65 / 462);
  });

  it('takes the normal form beyond 25 a side', () => {
    const x = upTo(26);
    const y = upTo(26).map((i) => i + 0.5);
    const found = mannWhitney(x, y);
    expect(found.method).toBe('normal');
    close(found.p, mannWhitneyNormalP(26, 26, found.u1, []));
    expect(mannWhitney(x.slice(1), y.slice(1)).p).toBeCloseTo(found.p, 1);
  });

  it('equals counting every arrangement by hand', () => {
    const small = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(small, small, (x, y) => {
        const u = (a: number[], b: number[]) =>
          a.reduce((s, v) => s + b.filter((w) => w < v).length + b.filter((w) => w === v).length / 2, 0);
        const all = subsets(x.length + y.length, x.length).map((chosen) => {
          const pool = [...x, ...y];
          return u(
            chosen.map((i) => pool[i] ?? 0),
            pool.filter((_, i) => !chosen.includes(i)),
          );
        });
        const observed = u(x, y);
        const share = (test: (v: number) => boolean) => all.filter(test).length / all.length;
        const found = mannWhitney(x, y);
        expect(found.u1).toBe(observed);
        close(
          found.p,
          Math.min(
            1,
            2 *
              Math.min(
                share((v) => v <= observed),
                share((v) => v >= observed),
              ),
          ),
        );
        const middle = (x.length * y.length) / 2;
        close(
          found.pByDistance,
          share((v) => Math.abs(v - middle) >= Math.abs(observed - middle)),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('vector 15: Hodges-Lehmann', () => {
  test.each([
    [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 5, 2, 8, 0.968254],
    [[18.2, 18.5, 18.7, 18.9, 19.1], [19, 19.2, 19.3, 19.4, 19.5], 0.6, 0.1, 1.1, 0.968254],
    [[10, 12, 13, 20, 30], [15, 18, 25, 26, 27], 6, -5, 15, 0.968254],
    [[10, 11, 12, 12, 13], [12, 13, 14, 14, 15], 2, 0, 4, 0.968254],
    [[1, 2, 3, 4], [5, 6, 7, 8], 4, 1, 7, 0.971429],
    [[94.1, 93.8, 94, 94.2, 93.9, 94.3], [93.7, 93.5, 94.05, 93.6, 93.4, 93.3], -0.5, -0.8, -0.15, 0.958874],
    [TEN_X, TEN_Y, 0.325, 0.18, 0.47, 0.956743],
  ])('%j to %j', (x, y, shift, low, high, coverage) => {
    const found = hodgesLehmannShift(x, y);
    close(found.shift, shift);
    expect(found.interval?.low).toBeCloseTo(low, 9);
    expect(found.interval?.high).toBeCloseTo(high, 9);
    close(found.interval?.coverage, coverage);
  });

  it('has no 95 % interval for three a side; the widest holds 90 %', () => {
    expect(hodgesLehmannShift([1, 2, 3], [4, 5, 6])).toEqual({ shift: 3, interval: null });
    expect(hodgesLehmannShift([1, 2, 3], [4, 5, 6], 0.1).interval).toMatchObject({ low: 1, high: 5 });
  });

  test.each([
    [[1.2, 0.8, -0.3, 2.1, 1.7, 0.9, -0.5, 1.1], 0.925, 0.15, 1.65, 0.960938],
    [[1, 2, 3, 4, 5, 6], 3.5, 1, 6, 0.96875],
    [[0.5, -0.25, 0.75, 1, -1.25, 1.5, 2, 1.75, 0.1, 2.25], 0.875, 0.1, 1.625, 0.951172],
  ])('paired %j', (differences, shift, low, high, coverage) => {
    const found = hodgesLehmannPaired(differences);
    close(found.shift, shift);
    close(found.interval?.low, low);
    close(found.interval?.high, high);
    close(found.interval?.coverage, coverage);
  });

  it('has no 95 % interval for five pairs', () => expect(hodgesLehmannPaired([1, 2, 3, 4, 5]).interval).toBeNull());

  it('excludes 0 exactly when the test without ties is significant', () => {
    const values = fc.uniqueArray(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 12, maxLength: 16 });
    fc.assert(
      fc.property(values, (all) => {
        const [x, y] = [all.slice(0, 6), all.slice(6)];
        const { interval } = hodgesLehmannShift(x, y);
        const excludes = interval !== null && (interval.low > 0 || interval.high < 0);
        expect(excludes).toBe(mannWhitney(x, y).p <= 0.05);
      }),
    );
  });
});

describe('vector 16: Wilcoxon signed rank', () => {
  test.each([
    [5, 0.0625],
    [6, 0.03125],
    [7, 0.015625],
    [8, 0.0078125],
    [10, 0.00195313],
  ])('smallest p of %d pairs', (n, p) => close(signedRank(upTo(n)).p, p));

  test.each([
    [6, 0, 0.03125],
    [7, 2, 0.046875],
    [8, 3, 0.0390625],
    [9, 5, 0.0390625],
    [10, 8, 0.0488281],
    [12, 13, 0.0424805],
    [15, 25, 0.0479126],
    [20, 52, 0.0484409],
  ])('largest significant T of %d pairs is %d', (n, t, p) => {
    expect(criticalT(n, 0.05)?.value).toBe(t);
    close(criticalT(n, 0.05)?.p, p);
  });

  it('has none for five pairs', () => expect(criticalT(5, 0.05)).toBeNull());

  test.each([
    [[1, 2, 3, 4, 5, 6], 21, 0, 1 / 32, 0.0360317],
    [[1.2, 0.8, -0.3, 2.1, 1.7, 0.9, -0.5, 1.1], 33, 3, 5 / 128, 0.0423153],
    [[5, 4, 3, 2, 1], 15, 0, 1 / 16, 0.0590582],
    [[0.5, -0.25, 0.75, 1, -1.25, 1.5, 2, 1.75, 0.1, 2.25], 47, 8, 25 / 512, 0.052787],
    [[1, 1, 2, -1, 3, 2, 0, 4], 26, 2, 1 / 16, 0.0498269],
  ])('%j', (differences, wPlus, wMinus, exact, normal) => {
    const found = signedRank(differences);
    expect(found).toMatchObject({ wPlus, wMinus, method: 'exact' });
    close(found.p, exact);
    const kept = differences.filter((d) => d !== 0);
    close(signedRankNormalP(kept.length, wPlus, rank(kept.map(Math.abs)).ties), normal);
  });

  it('is 1 when nothing differs, and equals counting every pattern of signs', () => {
    expect(signedRank([0, 0])).toMatchObject({ n: 0, p: 1 });
    fc.assert(
      fc.property(
        fc.array(
          fc.integer({ min: -4, max: 4 }).filter((d) => d !== 0),
          { minLength: 1, maxLength: 8 },
        ),
        (d) => {
          const ranks = rank(d.map(Math.abs)).doubled;
          const sums = upTo(2 ** d.length, 0).map((bits) =>
            ranks.reduce((s, r, i) => s + ((bits >> i) & 1 ? r : 0), 0),
          );
          const { wPlus, wMinus, p } = signedRank(d);
          const smaller = 2 * Math.min(wPlus, wMinus);
          close(p, Math.min(1, (2 * sums.filter((s) => s <= smaller).length) / sums.length));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('vector 18: Holm', () => {
  test.each([
    [
      [0.01, 0.04, 0.03, 0.005],
      [0.03, 0.06, 0.06, 0.02],
    ],
    [
      [0.02, 0.02, 0.02],
      [0.06, 0.06, 0.06],
    ],
    [
      [0.6, 0.5, 0.04],
      [1, 1, 0.12],
    ],
    [[0.05], [0.05]],
    [
      [2 / 252, 4 / 252, 8 / 252, 56 / 252],
      [0.031746, 0.047619, 0.0634921, 0.222222],
    ],
    [
      [0.0021645, 0.015, 0.03, 0.04, 0.2, 0.9],
      [0.012987, 0.075, 0.12, 0.12, 0.4, 0.9],
    ],
  ])('%j', (p, adjusted) => closeList(holm(p), adjusted));

  test.each([
    ['4 a side', mannWhitney(upTo(4), upTo(4, 5)).p, 1],
    ['5 a side', mannWhitney(upTo(5), upTo(5, 6)).p, 6],
    ['6 a side', mannWhitney(upTo(6), upTo(6, 7)).p, 23],
    ['7 a side', mannWhitney(upTo(7), upTo(7, 8)).p, 85],
    ['6 pairs', signedRank(upTo(6)).p, 1],
    ['7 pairs', signedRank(upTo(7)).p, 3],
    ['8 pairs', signedRank(upTo(8)).p, 6],
    ['10 pairs', signedRank(upTo(10)).p, 25],
  ])('%s can still pass with so many metrics', (_name, p, m) => {
    const passes = (metrics: number) => (holm([p, ...new Array<number>(metrics - 1).fill(1)])[0] ?? 1) <= 0.05;
    expect(passes(m)).toBe(true);
    expect(passes(m + 1)).toBe(false);
  });
});

/** All choices of k of n indices. */
function subsets(n: number, k: number, from = 0): number[][] {
  if (k === 0) return [[]];
  return Array.from({ length: n - from }, (_, i) => from + i).flatMap((first) =>
    subsets(n, k - 1, first + 1).map((rest) => [first, ...rest]),
  );
}
