import { describe, expect, test } from 'vitest';
import { steadyRateBps } from './metrics-of.js';
import { udpPayloadRateBps, unfragmentedPayloadBytes } from './payload.js';

describe('the payload of a datagram', () => {
  test('fits the MTU over IPv4 and IPv6', () => {
    expect(unfragmentedPayloadBytes(1500)).toBe(1452);
    expect(unfragmentedPayloadBytes(1400)).toBe(1352);
    expect(unfragmentedPayloadBytes(9000)).toBe(8952);
    expect(unfragmentedPayloadBytes(60)).toBe(16);
    expect(unfragmentedPayloadBytes(1e9)).toBe(65_507);
  });

  test('is what a rate of a layer carries: vector 6', () => {
    expect((udpPayloadRateBps(20e6, 'ip', 1448) ?? 0) / 1.96206e7).toBeCloseTo(1, 5);
    expect(udpPayloadRateBps(20e6, 'payload', 1448)).toBe(20e6);
    expect((udpPayloadRateBps(1e9, 'ethernet', 1472) ?? 0) / 1e9).toBeCloseTo(0.957087, 6);
    expect(udpPayloadRateBps(Number.NaN, 'ip', 1448)).toBeUndefined();
  });
});

describe('the steady rate', () => {
  const at = (startS: number, rateBps: number, durationS = 1) => ({
    startS,
    durationS,
    rateBps,
    bytes: (rateBps * durationS) / 8,
  });
  test('leaves out the first interval and the rest of the last', () => {
    expect(steadyRateBps([at(0, 18e6), at(1, 19e6), at(2, 20e6), at(3, 19.5e6), at(4, 5e6, 0.1)])).toBe(19.5e6);
    expect(steadyRateBps([at(0, 18e6), at(1, 19e6), at(2, 20e6)])).toBe(19.5e6);
  });
  test('is unknown of too short a load', () => {
    expect(steadyRateBps([at(0, 18e6), at(1, 5e6, 0.05)])).toBeUndefined();
    expect(steadyRateBps([])).toBeUndefined();
  });
});
