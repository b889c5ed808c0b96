import type { Finding } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { findingChanges } from './finding-changes.js';

const found = (over: Partial<Finding> = {}): Finding => ({
  code: 'receive-window-limited',
  holds: 'yes',
  evidence: { windowBytes: 65_535, rttMs: 45 },
  predictedCeilingBps: 11_650_666.67,
  text: 'The window is too small.',
  ...over,
});

describe('what two diagnoses say differently', () => {
  test('the same findings, in whatever order and words, are no change', () => {
    const other = found({ code: 'loss-limited', holds: 'no', evidence: {} });
    expect(findingChanges([[found(), other]], [[other, found({ text: 'In other words.' })]])).toEqual([]);
  });

  test('a figure in the last place of a double is no change; one that a person would see is', () => {
    expect(
      findingChanges([[found()]], [[found({ evidence: { windowBytes: 65_535, rttMs: 45.000000000000007 } })]]),
    ).toEqual([]);
    expect(findingChanges([[found()]], [[found({ evidence: { windowBytes: 65_535, rttMs: 45.1 } })]])).toHaveLength(1);
    expect(findingChanges([[found()]], [[found({ evidence: { windowBytes: 65_535 } })]])).toHaveLength(1);
    expect(findingChanges([[found()]], [[found({ predictedCeilingBps: undefined })]])).toHaveLength(1);
  });

  test('what holds otherwise, what is new and what is gone, each with its step and flow', () => {
    const reverse = { labels: { direction: 'reverse' } } as const;
    const [was, is] = [found(), found({ holds: 'no' })];
    expect(findingChanges([[was], [found(reverse)]], [[is], []])).toEqual([
      { step: 0, code: was.code, before: was, after: is },
      { step: 1, code: was.code, ...reverse, before: found(reverse) },
    ]);
    expect(findingChanges([], [[], [was]])).toEqual([{ step: 1, code: was.code, after: was }]);
  });

  test('flows of one step are told apart', () => {
    const [forward, reverse] = (['forward', 'reverse'] as const).map((direction) => found({ labels: { direction } }));
    if (!forward || !reverse) throw new Error('two were made');
    const moved = { ...reverse, holds: 'cannot-tell' as const };
    expect(findingChanges([[forward, reverse]], [[forward, moved]])).toEqual([
      { step: 0, code: reverse.code, labels: { direction: 'reverse' }, before: reverse, after: moved },
    ]);
  });
});
