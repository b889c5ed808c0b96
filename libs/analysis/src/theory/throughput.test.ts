import { describe, expect, it, test } from 'vitest';
import { close } from '../test-support/close.js';
import {
  bdpBits,
  bdpBytes,
  connectionsToFill,
  largestWindowBytes,
  MAX_WINDOW_BYTES,
  neededWindowBytes,
  windowCeilingBps,
  windowShiftFor,
} from './bandwidth-delay.js';
import {
  cubicBps,
  cubicKS,
  cubicLossRatioFor,
  cubicRegionLossRatio,
  cubicResponse,
  cubicWindowAt,
  lossLawSpread,
  MATHIS_C,
  mathisBps,
  renoLossRatioFor,
} from './loss-response.js';
import { slowStart, slowStartDelivery } from './slow-start.js';

describe('vector 1: bandwidth-delay product', () => {
  test.each([
    [20e6, 44, 880_000, 110_000],
    [20e6, 45, 900_000, 112_500],
    [100e6, 5, 500_000, 62_500],
    [44.21e6, 25, 1_105_250, 138_156.25],
    [1.536e6, 50, 76_800, 9600],
    [640e3, 90, 57_600, 7200],
    [1e9, 18, 18e6, 2_250_000],
    [1e9, 60, 60e6, 7_500_000],
    [10e9, 0.3, 3e6, 375_000],
    [100e9, 80, 8e9, 1e9],
  ])('%d bit/s over %d ms', (rate, rtt, bits, bytes) => {
    close(bdpBits(rate, rtt), bits);
    close(bdpBytes(rate, rtt), bytes);
    expect(neededWindowBytes(rate, rtt)).toBe(Math.ceil(bytes));
  });
});

describe('vector 2: window / RTT', () => {
  test.each([
    [16_000, 5, 25.6e6],
    [16_384, 45, 2.91271e6],
    [65_535, 100, 5_242_800],
    [65_535, 44, 1.19155e7],
    [65_535, 45.7, 1.14722e7],
    [17_520, 18, 7.78667e6],
    [212_992, 18, 9.46631e7],
    [408_960, 18, 181.76e6],
    [564_352, 18, 2.50823e8],
    [564_352, 18.7, 2.41434e8],
    [524_288, 100, 4.1943e7],
    [2_097_152, 50, 3.35544e8],
    [5_294_720, 100, 4.23578e8],
    [1_073_725_440, 100, 8.5898e10],
  ])('%d B over %d ms', (window, rtt, rate) => close(windowCeilingBps(window, rtt), rate));

  it('knows the largest window and what each shift can express', () => {
    expect(MAX_WINDOW_BYTES).toBe(1_073_725_440);
    expect(windowShiftFor(65_535)).toBe(0);
    expect(windowShiftFor(65_536)).toBe(1);
    expect(windowShiftFor(262_140)).toBe(2);
    expect(windowShiftFor(MAX_WINDOW_BYTES)).toBe(14);
    expect(windowShiftFor(MAX_WINDOW_BYTES + 1)).toBeNull();
    expect(largestWindowBytes(2)).toBe(262_140);
    expect(largestWindowBytes(15)).toBe(MAX_WINDOW_BYTES);
  });

  test.each([
    [16_000, 20],
    [32_000, 10],
    [64_000, 5],
    [128_000, 3],
    [16_384, 20],
    [32_768, 10],
    [65_536, 5],
    [131_072, 3],
  ])('500 Mbit/s at 5 ms takes connections of %d B: %d', (window, n) =>
    expect(connectionsToFill(500e6, 5, window)).toBe(n),
  );
});

describe('vector 3: Mathis', () => {
  test.each([
    [1448, 45, 1e-3, 9.93129e6, 9.96992e6, 9.76849e6],
    [1448, 45, 1e-2, 3.14055e6, 3.15277e6, 3.08907e6],
    [1460, 100, 1e-4, 14_249_600, 1.4305e7, 14_016_000],
    [1448, 100, 1e-2, 1.41325e6, 1.41874e6, 1_390_080],
    [8960, 90, 1 / 22_000, 1.44121e8, 1.44681e8, 1.41758e8],
    [8948, 90, 1 / 22_000, 1.43928e8, 1.44488e8, 1.41568e8],
  ])('MSS %d, %d ms, p %d', (mss, rtt, p, thumb, exact, reno) => {
    close(mathisBps(mss, rtt, p), thumb);
    close(mathisBps(mss, rtt, p, MATHIS_C.exact), exact);
    close(mathisBps(mss, rtt, p, MATHIS_C.rfc9438), reno);
  });

  it('sets no ceiling without loss, and scatters with the losses seen', () => {
    expect(mathisBps(1448, 45, 0)).toBeNull();
    expect(cubicBps(1448, 45, 0)).toBeNull();
    expect(lossLawSpread(16)).toBe(0.125);
    expect(lossLawSpread(47)).toBeCloseTo(0.073, 3);
  });
});

describe('vector 4: CUBIC', () => {
  test.each([
    [100, 1e-2, 5.92612, 12, 12, 'reno'],
    [100, 1e-3, 33.325, 37.9473, 38, 'reno'],
    [100, 1e-4, 187.4, 120, 187, 'cubic'],
    [100, 1e-5, 1053.83, 379.473, 1054, 'cubic'],
    [100, 1e-6, 5926.12, 1200, 5926, 'cubic'],
    [100, 1e-7, 33_325, 3794.73, 33_325, 'cubic'],
    [100, 1e-8, 187_400, 12_000, 187_400, 'cubic'],
    [10, 1e-2, 1.05383, 12, 12, 'reno'],
    [10, 1e-3, 5.92612, 37.9473, 38, 'reno'],
    [10, 1e-4, 33.325, 120, 120, 'reno'],
    [10, 1e-5, 187.4, 379.473, 379, 'reno'],
    [10, 1e-6, 1053.83, 1200, 1200, 'reno'],
    [10, 1e-7, 5926.12, 3794.73, 5926, 'cubic'],
    [10, 1e-8, 33_325, 12_000, 33_325, 'cubic'],
  ])('%d ms, p %d', (rtt, p, cubic, reno, rounded, region) => {
    const response = cubicResponse(rtt, p);
    close(response?.cubicSegments, cubic);
    close(response?.renoSegments, reno);
    expect(Math.round(response?.windowSegments ?? 0)).toBe(rounded);
    expect(response?.region).toBe(region);
  });

  test.each([
    [100, 0.000594779],
    [60, 0.000128472],
    [45, 5.41992e-5],
    [18, 3.46875e-6],
    [10, 5.94779e-7],
  ])('the region changes at %d ms at p %d', (rtt, p) => close(cubicRegionLossRatio(rtt), p));

  it('gives both windows the same size where the region changes', () => {
    close(cubicResponse(100, cubicRegionLossRatio(100))?.windowSegments, 49.2044);
    close(cubicResponse(10, cubicRegionLossRatio(10))?.windowSegments, 1555.98);
    expect(cubicResponse(100, 5.9e-4)).toMatchObject({ region: 'cubic' });
    close(cubicResponse(100, 5.9e-4)?.windowSegments, 49.503);
    expect(cubicResponse(100, 6e-4)).toMatchObject({ region: 'reno' });
    close(cubicResponse(100, 6e-4)?.windowSegments, 48.9898);
  });

  test.each([
    [1448, 45, 1e-3, 9.76849e6],
    [1448, 45, 1e-5, 1.49048e8],
    [1448, 100, 1e-5, 1.22076e8],
    [1448, 18, 1e-5, 2.44212e8],
    [8960, 90, 1 / 22_000, 2.49129e8],
  ])('rate of MSS %d, %d ms, p %d', (mss, rtt, p, rate) => close(cubicBps(mss, rtt, p), rate));

  test.each([
    [1e6, 2.0736e-2, 2.0736e-2],
    [10e6, 2.0736e-4, 2.94624e-4],
    [100e6, 2.0736e-6, 1.36752e-5],
    [1e9, 2.0736e-8, 6.34749e-7],
    [10e9, 2.0736e-10, 2.94624e-8],
  ])('loss that allows %d bit/s', (rate, reno, cubic) => {
    const window = (rate * 0.1) / (1500 * 8);
    close(renoLossRatioFor(window), reno);
    close(cubicLossRatioFor(window, 100), cubic);
  });

  it('grows back along the cube', () => {
    const k = cubicKS(1000);
    close(k, 9.0856);
    for (const [t, w] of [
      [0, 700],
      [1, 788.555],
      [5, 972.721],
      [k, 1000],
      [12, 1009.9],
    ] as const)
      close(cubicWindowAt(t, 1000), w);
  });
});

describe('vector 7: slow start', () => {
  test.each([
    [20e6, 44, 10, 1448, 3, 0.132, 101_360],
    [100e6, 1, 10, 1448, 0, 0, 0],
    [1e9, 18, 10, 1448, 8, 0.144, 3_692_400],
    [1e9, 18, 3, 1448, 10, 0.18, 4_443_912],
    [1e9, 60, 10, 1448, 10, 0.6, 14_813_040],
    [10e9, 100, 10, 1448, 14, 1.4, 237_225_840],
    [10e9, 100, 10, 8948, 11, 1.1, 183_165_560],
  ])('%d bit/s, %d ms, IW %d, MSS %d', (rate, rtt, iw, mss, rounds, timeS, sent) => {
    const found = slowStart(rate, rtt, mss, iw);
    expect(found.rounds).toBe(rounds);
    close(found.timeMs, timeS * 1000);
    expect(found.sentBytes).toBe(sent);
  });

  test.each([
    [100_000, 70, 3, 150, 5.33333e6],
    [101_360, 70, 3, 150, (101_360 * 8) / 0.15],
    [101_361, 71, 4, 200, (101_361 * 8) / 0.2],
    [102_400, 71, 4, 200, 4.096e6],
    [1_000_000, 691, 7, 350, 2.28571e7],
  ])('%d B take %d segments', (bytes, segments, rounds, timeMs, rate) => {
    const found = slowStartDelivery(bytes, 50, 1448);
    expect(found).toMatchObject({ segments, rounds, timeMs });
    close(found.rateBps, rate);
  });
});
