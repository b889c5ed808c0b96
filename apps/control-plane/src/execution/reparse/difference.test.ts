import { type AttemptReading, missing } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { differencesOf, type WholeReading } from './difference.js';

const reading = (more: Partial<AttemptReading> = {}, result: WholeReading['result'] = null): WholeReading => ({
  reading: {
    outcome: 'completed',
    metrics: [{ name: 'throughput', value: 19e6, unit: 'bit/s', labels: { direction: 'forward' } }],
    notes: ['a'],
    ...more,
  },
  result,
});

describe('two readings of the same bytes', () => {
  test('that agree differ in nothing', () => {
    const result = { totals: { bytes: 5, parts: [1, 2] } };
    expect(differencesOf(reading({}, result), reading({}, structuredClone(result)))).toEqual([]);
  });

  test('differ in how it ended, in a metric, in notes, deep in the result', () => {
    const before = reading({}, { totals: { bytes: 5, parts: [1, 2] }, gone: null });
    const after = reading(
      {
        outcome: 'partial',
        reason: 'interrupted',
        metrics: [
          missing('throughput', 'bit/s', 'attempt-failed', { direction: 'forward' }),
          { name: 'retransmits', value: 0, unit: 'segments' },
        ],
        notes: ['b'],
      },
      { totals: { bytes: 6, parts: [1, 2, 3] }, 'a/b': true },
    );
    expect(differencesOf(before, after)).toEqual(
      [
        { path: '/outcome', before: 'completed', after: 'partial' },
        { path: '/reason', after: 'interrupted' },
        { path: '/metrics/throughput,direction=forward/', before: 19e6, after: { unknown: 'attempt-failed' } },
        { path: '/metrics/retransmits', after: 0 },
        { path: '/notes', before: 'a' },
        { path: '/notes', after: 'b' },
        { path: '/result/totals/bytes', before: 5, after: 6 },
        { path: '/result/totals/parts/2', after: 3 },
        { path: '/result/gone', before: null },
        { path: '/result/a~1b', after: true },
      ].map(({ path, ...rest }) => ({ path: path.replace(/\/$/, ''), ...rest })),
    );
  });

  test('notes in another order are the same', () => {
    expect(differencesOf(reading({ notes: ['a', 'b'] }), reading({ notes: ['b', 'a'] }))).toEqual([]);
  });

  test('a result that came or went is one difference', () => {
    expect(differencesOf(reading({}, null), reading({}, { a: 1 }))).toEqual([
      { path: '/result', before: null, after: { a: 1 } },
    ]);
  });
});
