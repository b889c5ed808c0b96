import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bracket, type Climb, type Load, nextRateBps, REFINEMENTS } from './climb.js';

/** A path that carries `bottleneckBps`, loses the rest, and `randomLoss` of everything. */
const simulated =
  (bottleneckBps: number, randomLoss = 0) =>
  (offeredBps: number): number =>
    1 - (Math.min(offeredBps, bottleneckBps) / offeredBps) * (1 - randomLoss);

/** Ends: the climb does, or the test fails. */
function climbed(climb: Climb, lossAt: (offeredBps: number) => number | null): Load[] {
  const loads: Load[] = [];
  for (;;) {
    const offeredBps = nextRateBps(climb, loads);
    if (offeredBps === undefined) return loads;
    loads.push({ offeredBps, lossRatio: lossAt(offeredBps) });
    if (loads.length > 2000) throw new Error('the climb does not end');
  }
}
const climb: Climb = { startRateBps: 5e6, stepRateBps: 5e6, maxRateBps: 40e6, stopLossRatio: 0.005 };
const rates = (loads: readonly Load[]): number[] => loads.map(({ offeredBps }) => offeredBps / 1e6);

describe('the climb', () => {
  test('rises from the start, stops at the first loss and halves the gap', () => {
    const loads = climbed(climb, simulated(19.62e6));
    expect(rates(loads)).toEqual([5, 10, 15, 20, 17.5, 18.75, 19.375, 19.6875]);
    expect(bracket(climb, loads)).toEqual({ clean: 19.6875e6, lossy: 20e6 });
  });

  test('stops at the cap where nothing is lost', () => {
    expect(rates(climbed(climb, () => 0))).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
    expect(rates(climbed({ ...climb, maxRateBps: 12e6 }, () => 0))).toEqual([5, 10, 12]);
    expect(rates(climbed({ ...climb, maxRateBps: 3e6 }, () => 0))).toEqual([3]);
  });

  test('looks below the start when even that is lossy, never above it', () => {
    const loads = climbed(climb, simulated(2e6));
    expect(rates(loads)).toEqual([5, 2.5, 1.25, 1.875, 2.1875]);
    expect(bracket(climb, loads).clean).toBe(1.875e6);
  });

  test('offers nothing more once a load failed', () => {
    expect(rates(climbed(climb, (bps) => (bps >= 10e6 ? null : 0)))).toEqual([5, 10]);
  });

  test('whatever the path: never above the cap, never above a lossy rate, and it ends close to the limit', () => {
    const arbitrary = fc.record({
      startRateBps: fc.integer({ min: 1000, max: 1e8 }),
      stepRateBps: fc.integer({ min: 1e6, max: 1e8 }),
      maxRateBps: fc.integer({ min: 1000, max: 1e9 }),
      stopLossRatio: fc.constantFrom(0, 0.001, 0.01, 0.1),
    });
    const path = fc.record({
      bottleneckBps: fc.integer({ min: 1000, max: 2e9 }),
      random: fc.constantFrom(0, 0, 0, 0.02),
    });
    fc.assert(
      fc.property(arbitrary, path, (one, { bottleneckBps, random }) => {
        const loads = climbed(one, simulated(bottleneckBps, random));
        let lowestLossy = Number.POSITIVE_INFINITY;
        for (const { offeredBps, lossRatio } of loads) {
          expect(Number.isInteger(offeredBps)).toBe(true);
          expect(offeredBps).toBeLessThanOrEqual(one.maxRateBps);
          expect(offeredBps).toBeLessThan(lowestLossy);
          if ((lossRatio ?? 0) > one.stopLossRatio) lowestLossy = Math.min(lowestLossy, offeredBps);
        }
        expect(loads.length).toBeLessThanOrEqual(Math.ceil(one.maxRateBps / one.stepRateBps) + 2 + REFINEMENTS);
        const { clean, lossy } = bracket(one, loads);
        const widest = Math.max(one.stepRateBps, one.startRateBps) / 2 ** REFINEMENTS;
        if (lossy !== undefined) expect(lossy - clean).toBeLessThanOrEqual(widest + REFINEMENTS);
      }),
    );
  });
});
