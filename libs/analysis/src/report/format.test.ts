import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  formatBytes,
  formatBytesExact,
  formatCount,
  formatMs,
  formatRate,
  formatRatio,
  formatShare,
  formatTime,
} from './format.js';

describe('numbers for people', () => {
  test.each([
    [0, '0 bit/s'],
    [640, '640 bit/s'],
    [181_234_567, '181 Mbit/s'],
    [19_306_667, '19.3 Mbit/s'],
    [999_600_000, '1 Gbit/s'],
    [999_400, '999 kbit/s'],
    [9_416e6, '9.42 Gbit/s'],
    [200e6, '200 Mbit/s'],
    [-5_000_000, '−5 Mbit/s'],
    [4.2e15, '4200 Tbit/s'],
  ])('%d bit/s is %s', (bps, text) => expect(formatRate(bps)).toBe(text));

  test.each([
    [524_288, '524 kB', '524,288 B'],
    [33_554_432, '33.6 MB', '33,554,432 B'],
    [1448, '1.45 kB', '1,448 B'],
    [12, '12 B', '12 B'],
  ])('%d B is %s or %s', (bytes, short, exact) => {
    expect(formatBytes(bytes)).toBe(short);
    expect(formatBytesExact(bytes)).toBe(exact);
  });

  test.each([
    [18.32, '18.3 ms'],
    [0.08, '80 µs'],
    [0.313, '313 µs'],
    [1500, '1.5 s'],
    [0, '0 ms'],
  ])('%d ms is %s', (ms, text) => expect(formatMs(ms)).toBe(text));

  test.each([
    [0.976, '98 %'],
    [0.9996, '99.9 %'],
    [0.994, '99.4 %'],
    [1, '100 %'],
    [0.0046, '0.46 %'],
    [0.000046, '0.0046 %'],
    [0, '0 %'],
    [1.28, '128 %'],
    [0.05, '5 %'],
    [-0.5, '−50 %'],
  ])('%d is %s', (ratio, text) => expect(formatShare(ratio)).toBe(text));

  it('prints ratios, counts and times', () => {
    expect(formatRatio(2.4683)).toBe('2.47×');
    expect(formatRatio(12)).toBe('12×');
    expect(formatCount(1_234_567)).toBe('1,234,567');
    expect(formatTime('2026-11-30T16:02:11.123Z')).toBe('2026-11-30 16:02:11 UTC');
    expect(formatTime('yesterday')).toBe('yesterday');
  });

  it('says unknown for what is not known, never 0', () => {
    for (const format of [formatRate, formatBytes, formatBytesExact, formatMs, formatRatio, formatShare, formatCount])
      for (const absent of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
        expect(format(absent)).toBe('unknown');
  });

  it('never prints NaN, an exponent or a bare 0 for what is above 0', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e18, noNaN: true }), (value) => {
        for (const format of [formatRate, formatBytes, formatMs, formatRatio, formatShare]) {
          expect(format(value)).not.toMatch(/NaN|Infinity|e[+-]?\d/);
          expect(format(value)).toMatch(/[1-9]/);
        }
      }),
    );
  });
});
