import { expect, test } from 'vitest';
import type { ThroughputResult } from '../../measurements/throughput/index.js';
import { ThroughputSpec } from '../../measurements/throughput/index.js';
import { rateRemarks } from './rate-remarks.js';

const committed = { rateBps: 200e6, layer: 'ip' as const, mtuBytes: 1500 };
const remarksOf = (rateBps: number, mssBytes = 1448, more: object = { committed }): string[] => {
  const spec = ThroughputSpec.parse({ direction: 'forward', durationS: 5, ...more });
  const result: ThroughputResult = {
    tool: 'iperf3',
    direction: 'forward',
    durationS: 5,
    omitS: 0,
    versions: {},
    mssBytes,
    congestionControl: {},
    buffers: {},
    totals: { receiver: { bytes: 1, durationS: 5, rateBps } },
    intervals: { sender: [], receiver: [] },
    cpu: {},
    sockets: {},
  };
  return rateRemarks(spec, result);
};

// 200 Mbit/s of IP carry 1448/1500 of them in segments with timestamps: 193.07; without, 1460/1500: 194.67.
test('a throughput that the committed rate cannot carry is remarked, with both numbers', () => {
  expect(remarksOf(194.08e6)).toEqual([expect.stringContaining('194.08 Mbit/s is above the 193.07 Mbit/s')]);
});

test.each([
  ['less than 0.5 % above', 193.9e6, 1448],
  ['below, without timestamps', 194.6e6, 1460],
  ['so much that the path plainly carries more', 400e6, 1448],
])('%s: nothing', (_what, rateBps, mssBytes) => expect(remarksOf(rateBps, mssBytes)).toEqual([]));

test('a path without a committed rate: nothing is known to compare with', () => {
  expect(remarksOf(194.08e6, 1448, {})).toEqual([]);
});
