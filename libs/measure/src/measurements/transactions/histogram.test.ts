import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Histogram, histogramCount, histogramPercentileMs } from './histogram.js';

const histogram = (values: readonly number[], binMs: number, above = 0): Histogram => {
  const counts = new Map<number, number>();
  for (const value of values) {
    const bin = Math.floor(value / binMs) + 1;
    counts.set(bin, (counts.get(bin) ?? 0) + 1);
  }
  return { binMs, bins: [...counts].map(([bin, count]) => ({ bin, count })), above };
};

describe('percentiles of a histogram', () => {
  test('are upper edges of bins, by nearest rank', () => {
    // Vector 12, the ten round trips, in bins of 0.1 ms.
    const values = [44.4, 44.5, 44.5, 44.6, 44.7, 44.9, 45.1, 45.5, 46.0, 88.9].map((value) => value + 0.05);
    const percentile = (percent: number) => histogramPercentileMs(histogram(values, 0.1), percent);
    expect([50, 75, 90, 95, 99].map(percentile)).toEqual([44.8, 45.6, 46.1, 89, 89]);
    expect(percentile(0)).toBe(44.5);
  });

  test('are unknown without values, and above the last bin', () => {
    expect(histogramPercentileMs({ binMs: 1, bins: [], above: 0 }, 50)).toBeUndefined();
    const wide = histogram([1, 2, 3], 1, 1);
    expect(histogramCount(wide)).toBe(4);
    expect(histogramPercentileMs(wide, 75)).toBe(4);
    expect(histogramPercentileMs(wide, 76)).toBeUndefined();
  });

  test('lie at most one bin above the true value', () => {
    const values = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(values, fc.constantFrom(50, 95, 99), (all, percent) => {
        const sorted = [...all].sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil((percent * all.length) / 100)) - 1] ?? Number.NaN;
        const edge = histogramPercentileMs(histogram(all, 0.5), percent) ?? Number.NaN;
        expect(edge - exact).toBeGreaterThanOrEqual(-1e-6);
        expect(edge - exact).toBeLessThanOrEqual(0.5 + 1e-6);
      }),
    );
  });
});
