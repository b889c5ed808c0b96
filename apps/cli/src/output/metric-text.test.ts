import { metric, missing, NullReason, Unit } from '@plumbline/model';
import { expect, test } from 'vitest';
import { metricLabels, metricText, NULL_REASON_TEXT, spreadText } from './metric-text.js';

test.each([
  [metric('throughput', 'bit/s', 193e6), '193 Mbit/s'],
  [metric('rtt.p50', 'ms', 18.04), '18 ms'],
  [metric('window.max', 'B', 174_080), '174 kB'],
  [metric('loss', 'ratio', 0.05), '5 %'],
  [metric('ratio-to-single', 'ratio', 2.5), '2.5×'],
  [metric('transactions-per-second', '1/s', 22.345), '22.3 /s'],
  [metric('retransmits', 'segments', 1234), '1,234 segments'],
  [metric('duration', 's', 1.5), '1.5 s'],
  [metric('loss', 'ratio', 0), '0 %'],
])('%o reads as %s', (m, text) => expect(metricText(m)).toBe(text));

test('every unit and every reason reads as something', () => {
  for (const unit of Unit.options) expect(metricText(metric('x', unit, 3))).toMatch(/3/);
  for (const reason of NullReason.options)
    expect(metricText(missing('x', 'ms', reason))).toBe(`unknown: ${NULL_REASON_TEXT[reason]}`);
});

test('one value has no spread', () => {
  expect(spreadText({ ...metric('x', 'ms', 3), spread: { min: 3, max: 3, count: 1 } })).toBe('');
  expect(spreadText({ ...metric('x', 'ms', 3), spread: { min: 2, max: 4, count: 2 } })).toBe('2 ms to 4 ms (2)');
});

test('labels read as key=value', () => {
  expect(metricLabels(metric('x', 'ms', 1, { algorithm: 'bbr', streams: '4' }))).toBe('algorithm=bbr streams=4');
  expect(metricLabels(metric('x', 'ms', 1))).toBe('');
});
