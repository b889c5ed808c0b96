import { describe, expect, test } from 'vitest';
import { rttMetricsOf } from './metrics-of.js';
import type { RttResult } from './result.js';
import { meanAbsoluteIpdv, percentile } from './statistics.js';

const cold = [44.4, 44.5, 44.5, 44.6, 44.7, 44.9, 45.1, 45.5, 46.0, 88.9];
const lossy = [10, 11, null, 12, 13];

test.each([
  [[15, 20, 35, 40, 50], 25, 20],
  [[15, 20, 35, 40, 50], 40, 20],
  [[15, 20, 35, 40, 50], 95, 50],
  [cold, 50, 44.7],
  [cold, 95, 88.9],
  [Array.from({ length: 100 }, (_, i) => i + 1), 7, 7],
  [Array.from({ length: 100 }, (_, i) => i + 1), 99.9, 100],
  [lossy, 50, 12],
  [lossy, 80, 13],
  [lossy, 90, null],
  [[3], 50, 3],
  [[], 50, null],
])('nearest rank of %j at %d is %d', (values, percent, expected) => {
  expect(percentile(values, percent)).toBe(expected);
});

test('IPDV of RFC 5481: only neighbours that were both answered, and the size without the sign', () => {
  expect(meanAbsoluteIpdv([20, 10, 20, 25, 20])).toBe(7.5);
  expect(meanAbsoluteIpdv([20, 10, null, 25, 20])).toBe(7.5);
  expect(meanAbsoluteIpdv([20, null, 20])).toBeUndefined();
  expect(meanAbsoluteIpdv([20])).toBeUndefined();
});

describe('metrics', () => {
  const result = (rttsMs: (number | null)[], more: Partial<RttResult> = {}): RttResult => ({
    tool: 'ping',
    sent: rttsMs.length,
    received: rttsMs.filter((rtt) => rtt !== null).length,
    duplicates: 0,
    rttsMs,
    untimed: 0,
    payloadBytes: 56,
    intervalS: 0.2,
    omitted: 0,
    errors: [],
    ...more,
  });
  const values = (r: RttResult | undefined, ending: Parameters<typeof rttMetricsOf>[1] = { outcome: 'completed' }) =>
    Object.fromEntries(rttMetricsOf(r, ending).map((m) => [m.name, m.value ?? m.reason]));

  test('of replies with one lost', () => {
    expect(values(result([20, 10, null, 25, 20]))).toEqual({
      'rtt.min': 10,
      'rtt.mean': 18.75,
      'rtt.p50': 20,
      'rtt.p95': 'no-reply',
      'rtt.max': 25,
      loss: 0.2,
      jitter: 7.5,
    });
  });

  test('nothing came back: loss 1, and no RTT', () => {
    expect(values(result([null, null]))).toMatchObject({ loss: 1, 'rtt.p50': 'no-reply', jitter: 'no-reply' });
  });

  test('one reply has no jitter, and replies without times have no RTT', () => {
    expect(values(result([20]))).toMatchObject({ 'rtt.p95': 20, jitter: 'too-few-samples' });
    expect(values(result([null, null], { received: 2, untimed: 2 }))).toMatchObject({
      loss: 0,
      'rtt.min': 'tool-cannot-say',
    });
  });

  test('a failed attempt has none', () => {
    const failed = values(result([20]), { outcome: 'failed', reason: 'tool-failed' });
    expect(new Set(Object.values(failed))).toEqual(new Set(['attempt-failed']));
    expect(new Set(Object.values(values(undefined)))).toEqual(new Set(['attempt-failed']));
  });
});
