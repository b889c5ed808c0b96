import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Metric, metric, metricOr, missing } from './metric.js';

test('no number that is not finite becomes a value', () => {
  for (const x of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    expect(metric('loss', 'ratio', x)).toEqual({
      name: 'loss',
      value: null,
      unit: 'ratio',
      reason: 'denominator-zero',
    });
});
test('a reason stands exactly where the value is null', () => {
  fc.assert(
    fc.property(fc.option(fc.double(), { nil: undefined }), (x) => {
      const m = Metric.parse(metricOr('throughput', 'bit/s', x, 'no-reply'));
      expect(m.value === null).toBe(m.reason !== undefined);
    }),
  );
});
test('labels are of the closed set', () => {
  expect(Metric.safeParse(missing('throughput', 'bit/s', 'no-reply', { direction: 'forward' })).success).toBe(true);
  expect(Metric.safeParse({ name: 'x', value: 1, unit: 's', labels: { colour: 'red' } }).success).toBe(false);
});
