import { expect, test } from 'vitest';
import { ended, Outcome, parseReason, REASONS, Reason } from './outcome.js';

test('every outcome but completed has a reason, and each reason one outcome', () => {
  const covered = new Set(Object.values(REASONS).map((r) => r.outcome));
  for (const outcome of Outcome.options) if (outcome !== 'completed') expect(covered.has(outcome)).toBe(true);
});
test('only what happened before any traffic is tried again', () => {
  for (const reason of Reason.options)
    if (REASONS[reason].retry) expect(['refused', 'failed']).toContain(REASONS[reason].outcome);
});
test('every reason says something in a whole sentence', () => {
  for (const reason of Reason.options) expect(REASONS[reason].text).toMatch(/^[A-Z].{20,}[.?]$/);
});
test('an ending carries the outcome of its reason', () => {
  expect(ended('tool-missing', 'iperf3')).toEqual({ outcome: 'refused', reason: 'tool-missing', detail: 'iperf3' });
  expect(ended('deadline-exceeded')).toEqual({ outcome: 'timed-out', reason: 'deadline-exceeded' });
});
test('a reason that we do not know is not passed on', () => {
  expect(parseReason('port-in-use')).toBe('port-in-use');
  expect(parseReason('toString')).toBe('internal-error');
});
