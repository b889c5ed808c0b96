import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { close } from '../test-support/close.js';
import { availability } from './availability.js';
import { geometricMean } from './geometric-mean.js';
import { medianInterval, medianRanks } from './median-interval.js';
import { median, percentileLinear, percentileNearestRank } from './percentile.js';

describe('vector 12: percentiles', () => {
  const five = [15, 20, 35, 40, 50];
  const ten = [44.4, 44.5, 44.5, 44.6, 44.7, 44.9, 45.1, 45.5, 46, 88.9];
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);

  test.each([
    [five, 25, 20, 20],
    [five, 40, 20, 29],
    [five, 50, 35, 35],
    [five, 90, 50, 46],
    [five, 95, 50, 48],
    [five, 99, 50, 49.6],
    [ten, 50, 44.7, 44.8],
    [ten, 75, 45.5, 45.4],
    [ten, 90, 46, 50.29],
    [ten, 95, 88.9, 69.595],
    [ten, 99, 88.9, 85.039],
    [hundred, 7, 7, 7.93],
    [hundred, 50, 50, 50.5],
    [hundred, 95, 95, 95.05],
    [hundred, 99, 99, 99.01],
    [hundred, 99.9, 100, 99.901],
  ])('%j at %d', (data, p, nearest, linear) => {
    expect(percentileNearestRank(data.toReversed(), p)).toBe(nearest);
    const found = percentileLinear(data.toReversed(), p);
    close(found === 'lost' ? null : found, linear);
  });

  test.each([
    [50, 12, 12],
    [75, 13, 13],
    [80, 13, 'lost'],
    [90, 'lost', 'lost'],
  ])('10 11 12 13 and one lost at %d', (p, nearest, linear) => {
    expect(percentileNearestRank([10, 11, 12, 13], p, 1)).toBe(nearest);
    expect(percentileLinear([10, 11, 12, 13], p, 1)).toBe(linear);
  });

  it('gives the only value for every p, and null for none', () => {
    for (const p of [0, 1, 50, 99.9, 100]) {
      expect(percentileNearestRank([7], p)).toBe(7);
      expect(percentileLinear([7], p)).toBe(7);
      expect(percentileLinear([], p)).toBeNull();
      expect(percentileNearestRank([], p)).toBeNull();
    }
    expect(median([3, 1, 2, 10])).toBe(2.5);
    expect(median([])).toBeNull();
    expect(percentileLinear([], 50, 3)).toBe('lost');
  });
});

describe('vector 17: median interval', () => {
  const rows: [number, number, number, number][] = [
    [6, 1, 6, 96.875],
    [7, 1, 7, 98.4375],
    [8, 1, 8, 99.2188],
    [9, 2, 8, 96.0938],
    [10, 2, 9, 97.8516],
    [11, 2, 10, 98.8281],
    [12, 3, 10, 96.1426],
    [13, 3, 11, 97.7539],
    [14, 3, 12, 98.7061],
    [15, 4, 12, 96.4844],
    [16, 4, 13, 97.8729],
    [17, 5, 13, 95.0958],
    [18, 5, 14, 96.9116],
    [19, 5, 15, 98.0789],
    [20, 6, 15, 95.8611],
    [21, 6, 16, 97.3396],
    [22, 6, 17, 98.3099],
    [23, 7, 17, 96.531],
    [24, 7, 18, 97.7344],
    [25, 8, 18, 95.6715],
    [26, 8, 19, 97.1041],
    [27, 8, 20, 98.0843],
    [28, 9, 20, 96.4302],
    [29, 9, 21, 97.588],
    [30, 10, 21, 95.7226],
  ];
  test.each(rows)('n = %d: ranks %d and %d', (n, low, high, percent) => {
    expect(medianRanks(n)).toMatchObject({ low, high });
    close((medianRanks(n)?.coverage ?? 0) * 100, percent);
  });

  it('does not exist for five, and does for a long history', () => {
    for (const n of [1, 2, 3, 4, 5]) expect(medianRanks(n)).toBeNull();
    expect(medianInterval([5, 1, 4, 2, 3])).toBeNull();
    expect(medianInterval([])).toBeNull();
    expect(medianInterval([6, 1, 5, 2, 4, 3])).toMatchObject({ low: 1, high: 6 });
    const many = medianRanks(20_000);
    // sqrt(20000) / 2 * 1.96 = 138.6 ranks either side of the middle.
    expect(Math.abs((many?.low ?? 0) - (10_000 - 138.6))).toBeLessThan(2);
  });
});

describe('vector 20: availability', () => {
  test.each([
    ['100G 9S 100G', 209, 0, 9, 100],
    ['100G 10S 100G', 210, 10, 0, 95.2381],
    ['100G 15S 9G 1S 75G', 200, 25, 0, 87.5],
    ['50G 12S 5G', 67, 17, 0, 74.6269],
    ['50G 9S', 59, 0, 9, 100],
    ['20G 9S 1G 9S 1G 9S 51G', 100, 0, 27, 100],
    ['10S 10G 10S 10G', 40, 20, 0, 50],
    ['3000G 12S 9G 11S 568G', 3600, 32, 0, 99.1111],
    ['3000G 30S 10G 560G', 3600, 30, 0, 99.1667],
    ['86340G 60S', 86_400, 60, 0, 99.9306],
  ])('%s', (text, totalS, unavailableS, severe, percent) => {
    const seconds = text
      .split(' ')
      .flatMap((run) => new Array<boolean>(Number.parseInt(run, 10)).fill(run.endsWith('S')));
    const found = availability(seconds);
    expect(found).toMatchObject({ totalS, unavailableS, severeInAvailableS: severe });
    close((found.ratio ?? 0) * 100, percent);
  });

  it('bounds its outages', () => {
    const seconds = [...new Array(5).fill(false), ...new Array(12).fill(true), ...new Array(10).fill(false)];
    expect(availability(seconds).outages).toEqual([{ startS: 5, endS: 17 }]);
    expect(availability([])).toMatchObject({ totalS: 0, ratio: null, outages: [] });
  });

  it('keeps its books: outages and the rest make the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 25 })), { maxLength: 20 }), (runs) => {
        const seconds = runs.flatMap(([bad, length]) => new Array<boolean>(length).fill(bad));
        const found = availability(seconds);
        expect(found.unavailableS).toBe(found.outages.reduce((sum, o) => sum + o.endS - o.startS, 0));
        expect(found.unavailableS + found.severeInAvailableS).toBeLessThanOrEqual(found.totalS);
        for (const { startS } of found.outages) expect(seconds.slice(startS, startS + 10)).not.toContain(false);
      }),
    );
  });
});

describe('vector 24: geometric mean', () => {
  it('lets twice and half cancel out', () => {
    close(geometricMean([1.1, 0.9, 1.2]), 1.0591);
    close(geometricMean([2, 0.5]), 1);
  });
});
