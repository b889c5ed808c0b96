import { describe, expect, it } from 'vitest';
import { completed, failed, only, somePath, stored, value } from '../../test-support/attempts.js';
import { parallel } from './index.js';

const plansOf = (test: object) => parallel.attempts(stored(parallel, test), somePath());
const gets = (streams: string, bps: number) => value('throughput', 'bit/s', bps, { streams });

describe('parallel', () => {
  it('measures one stream beside whatever was asked for', () => {
    expect(plansOf({ streams: 8 }).map(({ cell }) => cell)).toEqual([{ streams: '1' }, { streams: '8' }]);
    expect(plansOf({ streams: [4, 1, 8, 4] }).map(({ cell }) => cell.streams)).toEqual(['1', '4', '8']);
    expect(plansOf({ streams: 1 }).map(({ cell }) => cell.streams)).toEqual(['1']);
  });

  it('tells the probes how many streams, which congestion control, and what the path promises', () => {
    const [single, four] = plansOf({ streams: 4, congestionControl: 'cubic', durationS: 20, omitS: 3 });
    expect(single).toMatchObject({ measurement: 'throughput', tool: 'iperf3', repeat: 1, spec: { streams: 1 } });
    expect(four?.spec).toMatchObject({
      streams: 4,
      congestionControl: 'cubic',
      durationS: 20,
      omitS: 3,
      direction: 'forward',
      committed: { rateBps: 20e6, layer: 'ip', mtuBytes: 1500 },
    });
  });

  it('interleaves repeats, directions and numbers of streams', () => {
    const plans = plansOf({ streams: 4, repeats: 2, direction: 'both' });
    expect(plans.map(({ repeat, cell }) => `${repeat}${cell.direction?.[0]}${cell.streams}`)).toEqual(
      '1f1 1f4 1r1 1r4 2f1 2f4 2r1 2r4'.split(' '),
    );
  });

  it('divides each sum by the single stream of the same repeat', () => {
    const plans = plansOf({ streams: 4, repeats: 3 });
    const rates: Record<string, number> = {
      '1 1': 2.9e6,
      '1 4': 10e6,
      '2 1': 2e6,
      '2 4': 11e6,
      '3 1': 4e6,
      '3 4': 9e6,
    };
    const results = plans.map((plan) => {
      const { streams = '' } = plan.cell;
      return completed(plan, [gets(streams, rates[`${plan.repeat} ${streams}`] ?? Number.NaN)]);
    });
    const metrics = parallel.summarise(stored(parallel, { streams: 4, repeats: 3 }), results);
    expect(only(metrics, 'throughput', { streams: '4' }).value).toBe(10e6);
    const ratio = only(metrics, 'ratio-to-single', { streams: '4' });
    expect(ratio).toMatchObject({ unit: 'ratio', spread: { min: 9 / 4, max: 11 / 2, count: 3 } });
    expect(ratio.value).toBeCloseTo(10 / 2.9, 9);
    expect(only(metrics, 'ratio-to-single', { streams: '1' }).value).toBe(1);
  });

  it('keeps each direction to its own single stream', () => {
    const plans = plansOf({ streams: 2, direction: 'both' });
    const bps: Record<string, number> = { 'forward 1': 10, 'forward 2': 15, 'reverse 1': 100, 'reverse 2': 200 };
    const results = plans.map((plan) => {
      const rate = bps[`${plan.cell.direction} ${plan.cell.streams}`] ?? Number.NaN;
      return completed(plan, [value('throughput', 'bit/s', rate)]);
    });
    const metrics = parallel.summarise(stored(parallel, { streams: 2, direction: 'both' }), results);
    expect(only(metrics, 'ratio-to-single', { direction: 'forward', streams: '2' }).value).toBe(1.5);
    expect(only(metrics, 'ratio-to-single', { direction: 'reverse', streams: '2' }).value).toBe(2);
  });

  it('of both directions at once keeps each by its own labels, ratio and all', () => {
    const test = { streams: 2, direction: 'simultaneous' };
    const plans = plansOf(test);
    expect(plans.map(({ cell, spec }) => [cell, spec])).toMatchObject([
      [{ streams: '1' }, { direction: 'simultaneous', streams: 1 }],
      [{ streams: '2' }, { direction: 'simultaneous', streams: 2 }],
    ]);
    const results = plans.map((plan) =>
      completed(
        plan,
        (['forward', 'reverse'] as const).map((direction, i) =>
          value('throughput', 'bit/s', Number(plan.cell.streams) ** (i + 1), { ...plan.cell, direction }),
        ),
      ),
    );
    const metrics = parallel.summarise(stored(parallel, test), results);
    expect(only(metrics, 'ratio-to-single', { direction: 'forward', streams: '2' }).value).toBe(2);
    expect(only(metrics, 'ratio-to-single', { direction: 'reverse', streams: '2' }).value).toBe(4);
    expect(metrics.filter(({ labels }) => labels?.direction === undefined)).toEqual([]);
    expect(parallel.labels(stored(parallel, test))).toMatchObject({ direction: ['forward', 'reverse'] });
  });

  it('says that the denominator is missing when the single stream failed, and gives no number', () => {
    const [one, four] = plansOf({ streams: 4 });
    const results = [failed(one!, 'connection-reset'), completed(four!, [gets('4', 10e6)])];
    const metrics = parallel.summarise(stored(parallel, { streams: 4 }), results);
    expect(only(metrics, 'ratio-to-single', { streams: '4' })).toMatchObject({
      value: null,
      reason: 'baseline-missing',
    });
    expect(only(metrics, 'throughput', { streams: '1' })).toMatchObject({ value: null, reason: 'attempt-failed' });
  });

  it('gives no ratio to a stream that carried nothing', () => {
    const [one, four] = plansOf({ streams: 4 });
    const results = [completed(one!, [gets('1', 0)]), completed(four!, [gets('4', 10e6)])];
    const metrics = parallel.summarise(stored(parallel, { streams: 4 }), results);
    expect(only(metrics, 'ratio-to-single', { streams: '4' })).toMatchObject({
      value: null,
      reason: 'denominator-zero',
    });
  });

  it('keeps each stream of an attempt, labelled by its number', () => {
    const [, two] = plansOf({ streams: 2 });
    const each = [1, 2].map((n) => value('throughput', 'bit/s', n * 1e6, { stream: String(n) }));
    const results = [completed(two!, [value('throughput', 'bit/s', 3e6), value('fairness', 'ratio', 0.9), ...each])];
    const metrics = parallel.summarise(stored(parallel, { streams: 2 }), results);
    expect(only(metrics, 'throughput', { streams: '2', stream: '2' }).value).toBe(2e6);
    expect(only(metrics, 'throughput', { streams: '2' }).value).toBe(3e6);
    expect(only(metrics, 'fairness', { streams: '2' }).value).toBe(0.9);
    const [one] = plansOf({ streams: 2 });
    const alone = parallel.summarise(stored(parallel, { streams: 2 }), [completed(one!, [gets('1', 1e6)])]);
    expect(alone.filter(({ name }) => name === 'fairness')).toEqual([]);
  });

  it('tells which labels its metrics can carry', () => {
    const labels = parallel.labels(stored(parallel, { streams: [2, 3], direction: 'both' }));
    expect(labels).toEqual({ streams: ['1', '2', '3'], stream: ['1', '2', '3'], direction: ['forward', 'reverse'] });
  });

  it.each([{ streams: 0 }, { streams: 129 }, { streams: [] }, { streams: 1.5 }, { strams: 4 }])(
    'refuses %j',
    (test) => {
      expect(() => stored(parallel, test)).toThrow();
    },
  );
});
