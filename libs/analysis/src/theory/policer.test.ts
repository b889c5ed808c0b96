import { describe, expect, it } from 'vitest';
import { close } from '../test-support/close.js';
import { bottleneckQueueBytes, shareWithQueue } from './bottleneck-queue.js';
import { policerSignature, tokenBucketBytes } from './policer.js';
import { TheoryError } from './theory-error.js';

const point = (i: number, rateBps: number, lostSegments: number, rttMs = 30) => ({
  atS: i / 4,
  rateBps,
  rttMs,
  lostSegments,
});

describe('policer signature (Flach et al., SIGCOMM 2016)', () => {
  it('finds the token rate after a burst', () => {
    const points = Array.from({ length: 20 }, (_, i) => point(i, i < 2 ? 90e6 : 20e6, i < 2 ? 0 : 10));
    const fit = policerSignature(points, 30);
    expect(fit.isPolicer).toBe(true);
    close(fit.tokenRateBps, 20e6);
    close(fit.burstRatio, 4.5);
  });

  it('is not a link: there the round trip grows', () => {
    const points = Array.from({ length: 20 }, (_, i) => point(i, i < 2 ? 90e6 : 20e6, i < 2 ? 0 : 10, i < 2 ? 30 : 80));
    expect(policerSignature(points, 30).isPolicer).toBe(false);
  });

  it('refuses what is no series', () => {
    expect(() => policerSignature([point(0, 1e6, 0)], 30)).toThrow(TheoryError);
    expect(() =>
      policerSignature(
        Array.from({ length: 8 }, (_, i) => point(i, Number.NaN, 0)),
        30,
      ),
    ).toThrow(TheoryError);
    expect(() =>
      policerSignature(
        Array.from({ length: 8 }, (_, i) => point(i, 1e6, 0)),
        0,
      ),
    ).toThrow(TheoryError);
  });

  it('lets a burst through once and then the token rate', () => {
    close(tokenBucketBytes(30e6, 20e6, 125_000, 10), 25_125_000);
    close(tokenBucketBytes(10e6, 20e6, 125_000, 10), 12_500_000);
    expect(() => tokenBucketBytes(1, 0, 1, 1)).toThrow(TheoryError);
  });
});

describe('queue at the bottleneck', () => {
  it('is rate times growth: 60 ms at 20 Mbit/s are the 150 kB of the lab', () => {
    close(bottleneckQueueBytes(20e6, 104, 44), 150_000);
    expect(() => bottleneckQueueBytes(20e6, 40, 44)).toThrow(TheoryError);
  });

  it('keeps a Reno flow whole from one BDP on, and costs a quarter without any', () => {
    expect(shareWithQueue(112_500, 112_500, 0.5)).toBe(1);
    close(shareWithQueue(0, 112_500, 0.5), 0.75);
    close(shareWithQueue(0, 112_500, 0.7), 0.85);
    expect(() => shareWithQueue(-1, 1, 0.5)).toThrow(TheoryError);
    expect(() => shareWithQueue(1, 1, 1)).toThrow(TheoryError);
  });
});
