import type { MetricFact } from '@plumbline/measure';
import { type Ending, ended, type Labels, type Metric, metric, missing } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AttemptResult } from './kind.js';
import { labelled, labelsKey, median, summarise } from './summarise.js';

const facts: MetricFact[] = [
  { name: 'throughput', unit: 'bit/s', better: 'higher', description: '' },
  { name: 'loss', unit: 'ratio', better: 'lower', description: '' },
];
const result = (metrics: Metric[], cell: Labels = {}, ending: Ending = { outcome: 'completed' }): AttemptResult => ({
  plan: { repeat: 1, cell, measurement: 'throughput', schemaVersion: 1, tool: 'iperf3', spec: {} },
  ending,
  metrics,
});
const rate = (value: number) => metric('throughput', 'bit/s', value);

test('the median of an even number is the mean of the two in the middle', () => {
  expect([[3], [1, 9, 2], [1, 2, 4, 100]].map(median)).toEqual([3, 2, 3]);
  expect(() => median([])).toThrow(RangeError);
});

describe('a step', () => {
  test('is the median of its repeats, with spread', () => {
    const [throughput, loss] = summarise(facts, [result([rate(10)]), result([rate(30)]), result([rate(11)])]);
    expect(throughput).toEqual({
      name: 'throughput',
      value: 11,
      unit: 'bit/s',
      spread: { min: 10, max: 30, count: 3 },
    });
    expect(loss).toMatchObject({ name: 'loss', value: null, reason: 'attempt-failed' });
  });

  test('counts completed attempts only: a partial throughput is no sample', () => {
    const partial = result([rate(999)], {}, ended('interrupted'));
    const failed = result([missing('throughput', 'bit/s', 'attempt-failed')], {}, ended('tool-failed'));
    expect(summarise(facts, [result([rate(10)]), partial, failed])[0]).toMatchObject({
      value: 10,
      spread: { count: 1 },
    });
    expect(summarise(facts, [partial, failed])[0]).toEqual({
      name: 'throughput',
      value: null,
      unit: 'bit/s',
      reason: 'attempt-failed',
    });
  });

  test('a value that no repeat has keeps the reason; one that some have is the median of those', () => {
    const none = result([missing('throughput', 'bit/s', 'receiver-totals-missing')]);
    expect(summarise(facts, [none, none])[0]).toMatchObject({ value: null, reason: 'receiver-totals-missing' });
    expect(summarise(facts, [none, result([rate(5)])])[0]).toMatchObject({ value: 5, spread: { count: 1 } });
  });

  test('keeps cells apart and labels them', () => {
    const [forward, reverse] = [{ direction: 'forward' }, { direction: 'reverse' }];
    const metrics = summarise(facts, [
      result([rate(1)], forward),
      result([rate(9)], reverse),
      result([rate(3)], forward),
    ]);
    expect(metrics.filter(({ name }) => name === 'throughput')).toEqual([
      { name: 'throughput', value: 2, unit: 'bit/s', labels: forward, spread: { min: 1, max: 3, count: 2 } },
      { name: 'throughput', value: 9, unit: 'bit/s', labels: reverse, spread: { min: 9, max: 9, count: 1 } },
    ]);
    expect(metrics.filter(({ name }) => name === 'loss').map(({ labels }) => labels)).toEqual([forward, reverse]);
  });

  test('no attempt, no metric', () => {
    expect(summarise(facts, [])).toEqual([]);
  });

  test('the median lies within the spread, whatever the numbers', () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(values, (list) => {
        const [throughput] = summarise(
          facts,
          list.map((value) => result([rate(value)])),
        );
        expect(throughput?.value).toBeGreaterThanOrEqual(throughput?.spread?.min ?? Number.NaN);
        expect(throughput?.value).toBeLessThanOrEqual(throughput?.spread?.max ?? Number.NaN);
      }),
    );
  });
});

test('labels of a cell are put on metrics, and a metric keeps its own', () => {
  expect(labelled([rate(1)], {})).toEqual([rate(1)]);
  expect(labelled([metric('hop-loss', 'ratio', 0, { hop: '3' })], { direction: 'reverse' })[0]?.labels).toEqual({
    direction: 'reverse',
    hop: '3',
  });
  expect(labelsKey({ stream: '1', direction: 'forward' })).toBe(labelsKey({ direction: 'forward', stream: '1' }));
});
