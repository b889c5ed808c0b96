import { framesPerSecond } from '@plumbline/analysis';
import { describe, expect, test } from 'vitest';
import { payloadRateBps } from './committed.js';

import { throughputMetricsOf } from './metrics-of.js';
import type { ThroughputResult } from './result.js';
import { rfc6349Remarks } from './rfc6349.js';

const nothing: ThroughputResult = {
  ...{ tool: 'iperf3', direction: 'forward', durationS: 10, omitS: 0, versions: {} },
  ...{ congestionControl: {}, buffers: {}, totals: {}, intervals: { sender: [], receiver: [] }, cpu: {}, sockets: {} },
};
const metricsOf = (result: Partial<ThroughputResult>, streams = 1) =>
  throughputMetricsOf({ ...nothing, ...result }, { outcome: 'completed' }, streams);
const told = (result: Partial<ThroughputResult>, name: string, streams = 1) => {
  const found = metricsOf(result, streams).find((metric) => metric.name === name);
  return found?.value ?? found?.reason;
};
const receiver = (bytes: number, durationS: number) => ({ bytes, durationS, rateBps: (bytes * 8) / durationS });
const ethernet = (lineBps: number) => payloadRateBps(lineBps, 'ethernet', 1500, { ipVersion: 4, timestamps: false });

/** VECTORS.md 8; the RFC's own examples print rounded or truncated numbers (9.0 s for 8.43, 98.03 for 98.04). */
describe('RFC 6349 in the metrics of a transfer', () => {
  test.each([
    ['9.2 s on 100 Mbit/s', 100e6, 100e6, 9.2, 1.09168],
    ['12 s for five times that on 500 Mbit/s', 500e6, 500e6, 12, 1.42393],
    ['a perfect line with timestamps', framesPerSecond(100e6, 1500) * 1448 * 10, 100e6, 10, 1460 / 1448],
  ])('transfer time: %s', (_name, bytes, lineBps, durationS, ratio) => {
    const transfer = { totals: { receiver: receiver(bytes, durationS) }, idealRateBps: ethernet(lineBps) };
    expect(told(transfer, 'transfer-time-ratio')).toBeCloseTo(ratio, 5);
    // Several streams are one transfer of what all of them carried.
    expect(told(transfer, 'transfer-time-ratio', 4)).toBeCloseTo(ratio, 5);
  });

  test('efficiency: what was sent counts the repeated bytes as well', () => {
    const counted = (bytesSent: number, bytesRetransmitted: number) => ({
      sockets: { sender: { sampleCount: 9, bytesSent, bytesRetransmitted } },
    });
    expect(told(counted(102_000, 2000), 'efficiency')).toBeCloseTo(0.980392, 6);
    expect(told(counted(100_560_000, 560_000), 'efficiency')).toBeCloseTo(0.994431, 6);
    // iperf3 says each byte once: 1 GB in all, of which 690 segments of 1448 B were sent again.
    const again = 690 * 1448;
    const estimated = { totals: { sender: receiver(1e9 - again, 10) }, retransmits: 690, mssBytes: 1448 };
    expect(told(estimated, 'efficiency')).toBeCloseTo(0.999001, 6);
  });

  test('buffer delay: over the baseline, not over the mean', () => {
    const delayed = (meanMs: number, minMs: number) => ({
      sockets: { sender: { sampleCount: 5, rttMinMs: minMs, rttMeanMs: meanMs, rttMaxMs: meanMs } },
      baseline: { sent: 3, received: 3, minMs },
    });
    expect(told(delayed(32, 25), 'buffer-delay')).toBeCloseTo(0.28, 12);
    expect(told(delayed(45.9, 44.08), 'buffer-delay')).toBeCloseTo(0.0412886, 7);
    expect(told({ ...delayed(32, 25), baseline: undefined }, 'buffer-delay')).toBe('baseline-missing');
  });

  test('the mean of the RFC is of the seconds of the test', () => {
    const intervals = [25, 27, 31, 35, 42].map((rttMs, i) => ({
      ...{ startS: i, endS: i + 1, durationS: 1, bytes: 1, rateBps: 8, omitted: false, rttMs },
    }));
    const result = { intervals: { sender: intervals, receiver: [] }, baseline: { sent: 3, received: 3, minMs: 25 } };
    expect(told(result, 'rtt.mean')).toBe(32);
    expect(told(result, 'buffer-delay')).toBeCloseTo(0.28, 12);
  });

  test('nothing is known of it without its inputs', () => {
    expect(['transfer-time-ratio', 'efficiency', 'buffer-delay'].map((name) => told({}, name))).toEqual([
      'receiver-totals-missing',
      'counter-not-available',
      'baseline-missing',
    ]);
    expect(told({ totals: { receiver: receiver(1e6, 1) } }, 'transfer-time-ratio')).toBe('contract-missing');
  });

  test('above 5 % of loss the method ends, and that is said', () => {
    const lossy = (bytesRetransmitted: number) => {
      const result = { ...nothing, sockets: { sender: { sampleCount: 9, bytesSent: 1000, bytesRetransmitted } } };
      return rfc6349Remarks(result, metricsOf(result));
    };
    expect(lossy(50)).toEqual([]);
    expect(lossy(62)).toEqual([expect.stringMatching(/^6\.2 % of the bytes were sent again/)]);
    expect(rfc6349Remarks(undefined, [])).toEqual([]);
  });
});
