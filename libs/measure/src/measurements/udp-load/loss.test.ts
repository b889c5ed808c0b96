import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lossOf } from './loss.js';
import type { UdpLoadInterval, UdpLoadResult } from './result.js';

const payloadBytes = 1448;
const second = (startS: number, packets: number): UdpLoadInterval => ({
  startS,
  durationS: 1,
  bytes: packets * payloadBytes,
  rateBps: packets * payloadBytes * 8,
});
function load(
  sentPackets: number | undefined,
  received: { arrived: number; packets?: number; lost?: number },
  intervals: UdpLoadInterval[] = [],
  durationS = 10,
): UdpLoadResult {
  const { arrived, packets, lost } = received;
  return {
    tool: 'iperf3',
    direction: 'forward',
    durationS,
    streams: 1,
    payloadBytes,
    askedRateBps: 1e6,
    versions: {},
    sent:
      sentPackets === undefined ? undefined : { bytes: sentPackets * payloadBytes, packets: sentPackets, durationS },
    received: { bytes: arrived * payloadBytes, durationS, packets, lost, derived: false },
    intervals,
    cpu: {},
  };
}

describe('loss of a UDP load', () => {
  test('vector 22: 8858 of 25893', () => {
    const loss = lossOf(load(25_893, { arrived: 17_035, packets: 25_893, lost: 8858 }));
    expect(loss?.ratio).toBeCloseTo(0.3421, 4);
    expect(loss).toMatchObject({ underway: 0, silent: false });
  });

  test('what was on its way when the test ended is not lost', () => {
    const loss = lossOf(load(3872, { arrived: 3867, packets: 3867, lost: 0 }));
    expect(loss).toEqual({ ratio: 0, lost: 0, of: 3867, underway: 5, silent: false });
  });

  test('a path that dies in the middle is not a clean one: the tool sees no gap', () => {
    const dying = load(10_000, { arrived: 4000, packets: 4000, lost: 0 }, [second(0, 1000), second(1, 0)]);
    expect(lossOf(dying)).toEqual({ ratio: 0.6, lost: 6000, of: 10_000, underway: 0, silent: true });
  });

  test('a deep queue at the end is not silence: datagrams still arrive in the last interval', () => {
    const deep = load(10_000, { arrived: 7000, packets: 8000, lost: 1000 }, [second(0, 700), second(9, 700)]);
    expect(lossOf(deep)).toMatchObject({ ratio: 1 / 8, underway: 2000, silent: false });
  });

  test('nothing arrived at all', () => {
    expect(lossOf(load(500, { arrived: 0, packets: 0, lost: 0 }))?.ratio).toBe(1);
  });

  test('lost 0 that the bytes contradict (iperf issue 1984)', () => {
    expect(lossOf(load(5000, { arrived: 3500, packets: 5000, lost: 0 }))?.ratio).toBeCloseTo(0.3, 9);
  });

  test('never negative: credited datagrams are reordering (A13)', () => {
    expect(lossOf(load(69_045, { arrived: 70_964, packets: 69_045, lost: -1919 }))).toBeUndefined();
    expect(lossOf(load(100, { arrived: 101, packets: 100, lost: 0 }))?.ratio).toBe(0);
  });

  test('unknown counts are unknown', () => {
    expect(lossOf(load(undefined, { arrived: 10 }))).toBeUndefined();
    expect(lossOf({ ...load(10, { arrived: 10 }), received: undefined })).toBeUndefined();
  });

  test('any counts give a ratio from 0 to 1, or nothing', () => {
    const count = fc.oneof(fc.constant(undefined), fc.integer({ min: -5, max: 3000 }));
    fc.assert(
      fc.property(count, fc.nat({ max: 3000 }), count, count, (sent, arrived, packets, lost) => {
        const loss = lossOf(load(sent === undefined ? sent : Math.abs(sent), { arrived, packets, lost }));
        if (!loss) return;
        expect(loss.ratio).toBeGreaterThanOrEqual(0);
        expect(loss.ratio).toBeLessThanOrEqual(1);
      }),
    );
  });
});
