import { describe, expect, it } from 'vitest';
import { completed, failed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { congestionControlMatrix as matrix } from './index.js';

const plansOf = (test: object) => matrix.attempts(stored(matrix, test), somePath());
const order = (test: object) => plansOf(test).map(({ repeat, cell }) => `${cell.algorithm}${repeat}`);

describe('congestion-control-matrix', () => {
  it('interleaves the repeats, so that a drift of the path touches all algorithms alike', () => {
    const test = { algorithms: ['cubic', 'reno', 'bbr'], repeats: 2 };
    expect(order(test)).toEqual(['cubic1', 'reno1', 'bbr1', 'cubic2', 'reno2', 'bbr2']);
    expect(order({ ...test, order: 'grouped' })).toEqual(['cubic1', 'cubic2', 'reno1', 'reno2', 'bbr1', 'bbr2']);
  });

  it('asks each transfer for its algorithm', () => {
    const plans = plansOf({ algorithms: ['cubic', 'bbr'], streams: 4, direction: 'both' });
    expect(plans.map(({ spec }) => spec)).toMatchObject([
      { congestionControl: 'cubic', direction: 'forward', streams: 4 },
      { congestionControl: 'bbr', direction: 'forward', streams: 4 },
      { congestionControl: 'cubic', direction: 'reverse', streams: 4 },
      { congestionControl: 'bbr', direction: 'reverse', streams: 4 },
    ]);
  });

  it('gives median and spread for each algorithm, and null for one that an end cannot run', () => {
    const test = { algorithms: ['cubic', 'bbr'], repeats: 3 };
    const results = plansOf(test).map((plan) =>
      plan.cell.algorithm === 'cubic'
        ? completed(plan, [value('throughput', 'bit/s', plan.repeat * 1e6), value('retransmits', 'segments', 10)])
        : failed(plan, 'congestion-control-unavailable'),
    );
    const metrics = matrix.summarise(stored(matrix, test), results);
    expect(only(metrics, 'throughput', { algorithm: 'cubic' })).toMatchObject({
      value: 2e6,
      spread: { min: 1e6, max: 3e6, count: 3 },
    });
    expect(only(metrics, 'retransmits', { algorithm: 'cubic' }).value).toBe(10);
    expect(only(metrics, 'throughput', { algorithm: 'bbr' })).toMatchObject({ value: null, reason: 'attempt-failed' });
  });

  it.each([
    { algorithms: [] },
    { algorithms: ['cubic', 'cubic'] },
    { algorithms: ['-Rcubic'] },
    { algorithms: ['cubic'], order: 'random' },
    {},
  ])('refuses %j', (test) => {
    expect(() => stored(matrix, test)).toThrow();
  });
});
