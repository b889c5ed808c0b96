import { UdpLoadSpec, udpPayloadRateBps } from '@plumbline/measure';
import { type Metric, missing, type Path } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptPlan, AttemptResult } from '../../kind.js';
import { parsePlan } from '../../plan.js';
import { completed, failed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { udpStepUp } from './index.js';

/** A path whose answer is known: an MTU, a rate counted on IP bytes, and loss that has nothing to do with it. */
interface Simulated {
  readonly rateBps: number;
  readonly mtuBytes?: number;
  readonly randomLoss?: number;
  /** The sender manages no more than this. */
  readonly senderBps?: number;
  readonly fails?: (spec: UdpLoadSpec) => boolean;
}

function carriedOut(plan: AttemptPlan, path: Simulated): AttemptResult {
  if (plan.measurement === 'path-mtu')
    return path.mtuBytes === undefined
      ? failed(plan, 'tool-missing')
      : completed(plan, [value('path-mtu', 'B', path.mtuBytes)]);
  const spec = UdpLoadSpec.parse(plan.spec);
  if (path.fails?.(spec)) return failed(plan, 'connection-timed-out');
  const offered = Math.min(spec.rateBps, path.senderBps ?? Number.POSITIVE_INFINITY);
  const carries = udpPayloadRateBps(path.rateBps, 'ip', spec.payloadBytes) ?? 0;
  const arrives = Math.min(offered, carries) * (1 - (path.randomLoss ?? 0));
  return completed(plan, [
    value('offered', 'bit/s', offered),
    value('delivered', 'bit/s', arrives * 0.99),
    value('delivered.steady', 'bit/s', arrives),
    value('loss', 'ratio', 1 - arrives / offered),
    value('jitter', 'ms', 0.3),
    missing('reordered', 'packets', 'not-measured-here'),
  ]);
}

/** Ends: with the step, or the test fails. */
function run(test: object, simulated: Simulated, path: Path = somePath()): AttemptResult[] {
  const results: AttemptResult[] = [];
  for (;;) {
    const plan = udpStepUp.next(stored(udpStepUp, test), path, results);
    if (!plan) return results;
    results.push(carriedOut(plan, simulated));
    if (results.length > 3000) throw new Error('the step does not end');
  }
}
const summary = (test: object, results: AttemptResult[]): readonly Metric[] =>
  udpStepUp.summarise(stored(udpStepUp, test), results);
const loads = (results: readonly AttemptResult[]) => results.filter(({ plan }) => plan.measurement === 'udp-load');
const specs = (results: readonly AttemptResult[]) => loads(results).map(({ plan }) => UdpLoadSpec.parse(plan.spec));
const byRate = { startRateBps: 5e6, stepRateBps: 5e6, maxRateBps: 40e6 };

describe('udp-step-up', () => {
  test('finds the lab’s bottleneck: 20 Mbit/s counted on IP bytes', () => {
    const results = run(byRate, { rateBps: 20e6, mtuBytes: 1500 });
    const metrics = summary(byRate, results);
    const carried = (20e6 * 1452) / 1480;
    const highest = only(metrics, 'highest-clean-rate').value ?? 0;
    expect(highest).toBeLessThanOrEqual(carried * 1.006);
    expect(highest).toBeGreaterThan(carried * 0.98);
    expect((only(metrics, 'bottleneck-rate').value ?? 0) / carried).toBeCloseTo(1, 6);
    expect(only(metrics, 'loss', { offeredBps: '5000000' }).value).toBe(0);
    expect(only(metrics, 'loss', { offeredBps: '20000000' }).value).toBeGreaterThan(0.005);
    expect(only(metrics, 'reordered', { offeredBps: '5000000' }).reason).toBe('not-measured-here');
  });

  test('measures the path MTU first and sizes datagrams so that none travels in pieces', () => {
    const results = run(byRate, { rateBps: 20e6, mtuBytes: 1400 });
    expect(results[0]?.plan).toMatchObject({ measurement: 'path-mtu', tool: 'ping', cell: {} });
    expect(new Set(specs(results).map((spec) => spec.payloadBytes))).toEqual(new Set([1352]));
  });

  test('falls back to the path’s own MTU, and to 1500', () => {
    const unmeasured = { rateBps: 20e6 };
    expect(specs(run(byRate, unmeasured, somePath({ mtu: 9000 })))[0]?.payloadBytes).toBe(8952);
    expect(specs(run(byRate, unmeasured))[0]?.payloadBytes).toBe(1452);
    // A larger MTU than the path promises is nobody's promise.
    expect(specs(run(byRate, { rateBps: 20e6, mtuBytes: 9000 }))[0]?.payloadBytes).toBe(1452);
  });

  test('takes the payload that it is told, without measuring', () => {
    const results = run({ ...byRate, payloadBytes: 200 }, { rateBps: 20e6 });
    expect(results.every(({ plan }) => plan.measurement === 'udp-load')).toBe(true);
    expect(specs(results)[0]?.payloadBytes).toBe(200);
  });

  test('climbs by shares of what the committed rate carries of payload', () => {
    const test = { startShare: 0.5, stepShare: 0.25, maxShare: 1 };
    const results = run(test, { rateBps: 100e6, mtuBytes: 1500 });
    const carried = (20e6 * 1452) / 1480;
    expect(specs(results).map(({ rateBps }) => Math.round((rateBps / carried) * 100))).toEqual([50, 75, 100]);
    const metrics = summary(test, results);
    expect(only(metrics, 'bottleneck-rate')).toMatchObject({ value: null, reason: 'not-measured-here' });
    expect((only(metrics, 'highest-clean-rate').value ?? 0) / carried).toBeCloseTo(1, 6);
  });

  test('takes tenths of the cap without being told', () => {
    const rates = specs(run({ maxRateBps: 1e6 }, { rateBps: 1e9, mtuBytes: 1500 })).map((spec) => spec.rateBps);
    expect(rates).toEqual([1e5, 2e5, 3e5, 4e5, 5e5, 6e5, 7e5, 8e5, 9e5, 1e6]);
  });

  test('does not climb where nobody says how far it may', () => {
    const path = somePath({ committedRateBps: undefined });
    const results = run({}, { rateBps: 20e6, mtuBytes: 1500 }, path);
    expect(loads(results)).toEqual([]);
    expect(only(summary({}, results), 'highest-clean-rate')).toMatchObject({ value: null, reason: 'contract-missing' });
  });

  test('says of a path without a committed rate what it needs, unless it has a cap of its own', () => {
    const path = somePath({ committedRateBps: undefined });
    const misfit = (test: object, on: Path) => udpStepUp.misfit(stored(udpStepUp, test), on);
    expect(misfit({}, path)).toContain('give maxRateBps, or a committedRateBps to path a-b');
    expect(misfit({ startShare: 0.1, maxRateBps: 1e6 }, path)).toContain('committedRateBps');
    expect(misfit({ maxRateBps: 1e6 }, path)).toBeUndefined();
    expect(misfit({}, somePath())).toBeUndefined();
  });

  test('may be judged by a load that the plan does not know yet', () => {
    const plan = (labels: object) =>
      parsePlan({
        tests: [{ kind: 'udp-step-up' }],
        criteria: [{ metric: 'loss', labels, op: '<=', value: 0.01 }],
      });
    expect(plan({ offeredBps: '15000000' }).ok).toBe(true);
    expect(plan({ algorithm: 'cubic' }).ok).toBe(false);
  });

  test('shows no bottleneck for loss that strikes at any rate', () => {
    const results = run(byRate, { rateBps: 20e6, mtuBytes: 1500, randomLoss: 0.02 });
    const metrics = summary(byRate, results);
    expect(only(metrics, 'bottleneck-rate')).toMatchObject({ value: null, reason: 'tool-cannot-say' });
    expect(only(metrics, 'highest-clean-rate')).toMatchObject({ value: null, reason: 'not-measured-here' });
  });

  test('shows no bottleneck below what has passed cleanly', () => {
    const [first, ...rest] = run({ ...byRate, payloadBytes: 1452 }, { rateBps: 20e6 });
    const unlucky = [first!, ...rest].map((result) =>
      result.plan.cell.offeredBps === '20000000'
        ? completed(result.plan, [
            value('offered', 'bit/s', 20e6),
            value('delivered', 'bit/s', 15e6),
            value('loss', 'ratio', 0.25),
          ])
        : completed(result.plan, [
            value('offered', 'bit/s', Number(result.plan.cell.offeredBps)),
            value('loss', 'ratio', 0),
          ]),
    );
    expect(only(summary(byRate, unlucky), 'bottleneck-rate')).toMatchObject({ value: null, reason: 'tool-cannot-say' });
  });

  test('stops where a load failed, and gives no number for the whole', () => {
    const results = run(byRate, { rateBps: 20e6, mtuBytes: 1500, fails: ({ rateBps }) => rateBps === 15e6 });
    expect(specs(results).at(-1)?.rateBps).toBe(15e6);
    const metrics = summary(byRate, results);
    expect(only(metrics, 'highest-clean-rate')).toMatchObject({ value: null, reason: 'attempt-failed' });
    expect(only(metrics, 'delivered', { offeredBps: '10000000' }).value).toBeCloseTo(9.9e6, 0);
  });

  test('stops where the sender itself can do no more', () => {
    const results = run(byRate, { rateBps: 1e9, mtuBytes: 1500, senderBps: 12e6 });
    expect(specs(results).map(({ rateBps }) => rateBps / 1e6)).toEqual([5, 10, 15]);
    expect(only(summary(byRate, results), 'highest-clean-rate').value).toBe(12e6);
  });

  test('climbs once for each repeat and direction, one after the other', () => {
    const test = { ...byRate, maxRateBps: 10e6, repeats: 2, direction: 'both' };
    const results = run(test, { rateBps: 1e9, mtuBytes: 1500 });
    expect(
      results.map(({ plan }) => `${plan.repeat}${plan.cell.direction?.[0]}${plan.cell.offeredBps ?? 'mtu'}`),
    ).toEqual(['1f', '1r', '2f', '2r'].flatMap((lane) => [`${lane}mtu`, `${lane}5000000`, `${lane}10000000`]));
    expect(results.map(({ plan }) => ('startsAt' in plan ? plan.startsAt : 'near'))).toEqual([
      'near',
      'near',
      'near',
      'far',
      'near',
      'near',
      'near',
      'near',
      'near',
      'far',
      'near',
      'near',
    ]);
    const metrics = summary(test, results);
    expect(only(metrics, 'highest-clean-rate', { direction: 'reverse' })).toMatchObject({
      value: 10e6,
      spread: { count: 2 },
    });
    expect(only(metrics, 'loss', { direction: 'forward', offeredBps: '5000000' }).spread?.count).toBe(2);
  });

  test('knows its first attempt beforehand, and the same results lead to the same next one', () => {
    const test = stored(udpStepUp, byRate);
    const [first] = udpStepUp.attempts(test, somePath());
    expect(first?.measurement).toBe('path-mtu');
    const results = run(byRate, { rateBps: 20e6, mtuBytes: 1500 });
    results.forEach(({ plan }, i) => {
      expect(udpStepUp.next(test, somePath(), results.slice(0, i))).toEqual(plan);
    });
  });

  test('whatever the path: nothing above the cap, whole datagrams, an end', () => {
    fc.assert(
      fc.property(
        fc.record({
          rateBps: fc.integer({ min: 1e5, max: 1e10 }),
          mtuBytes: fc.option(fc.integer({ min: 576, max: 9000 }), { nil: undefined }),
          randomLoss: fc.constantFrom(0, 0.001, 0.5),
        }),
        fc.integer({ min: 1e5, max: 1e9 }),
        fc.boolean(),
        (simulated, maxRateBps, both) => {
          const test = { maxRateBps, direction: both ? 'both' : 'reverse' };
          const results = run(test, simulated);
          for (const spec of specs(results)) {
            expect(spec.rateBps * spec.streams).toBeLessThanOrEqual(maxRateBps);
            expect(spec.payloadBytes + 28).toBeLessThanOrEqual(Math.min(simulated.mtuBytes ?? 1500, 1500));
          }
          for (const { value: number } of summary(test, results))
            expect(number === null || Number.isFinite(number)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    { startRateBps: 1e6, startShare: 0.1 },
    { maxRateBps: 1e6, maxShare: 0.1 },
    { startRateBps: 2e6, maxRateBps: 1e6 },
    { startShare: 0.9, maxShare: 0.5 },
    { stepRateBps: 1e6, maxRateBps: 1e9 },
    { stepShare: 0.001 },
    { maxShare: 1.5 },
    { stopLossRatio: 5 },
    { payloadBytes: 8 },
    { streams: 4 },
  ])('refuses %j', (test) => {
    expect(() => stored(udpStepUp, test)).toThrow();
  });
});
