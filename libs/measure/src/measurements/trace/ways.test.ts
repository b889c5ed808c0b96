import { describe, expect, test } from 'vitest';
import { traceRemarks } from './remarks.js';
import type { TraceFlow, TraceHop, TraceResult } from './result.js';
import { distinctWays, hopLossRatio } from './ways.js';

const hop = (number: number, host?: string, answered = 10): TraceHop => ({
  hop: number,
  hosts: host === undefined ? [] : [host],
  sent: 10,
  answered: host === undefined ? 0 : answered,
});
const flow = (hops: TraceHop[], reached = true, number = 1): TraceFlow => ({ flow: number, reached, hops });
const result = (...flows: TraceFlow[]): TraceResult => ({
  tool: 'mtr',
  method: 'icmp',
  destination: 'd',
  pinned: true,
  counted: true,
  flows,
});

describe('loss at a hop', () => {
  test('that later hops do not have is ICMP rate limiting (A57)', () => {
    const way = flow([hop(1, 'a'), hop(2), hop(3, 'c', 6), hop(4, 'd')]);
    expect([1, 2, 3, 4].map((number) => hopLossRatio(way, number))).toEqual([0, 0, 0, 0]);
    expect(traceRemarks(result(way))).toEqual([
      '1 a, 2 *, 3 c, 4 d',
      'hop 3 limits its ICMP: it left 40 % unanswered, and later hops did not',
    ]);
  });

  test('that stays to the end is loss', () => {
    const way = flow([hop(1, 'a'), hop(2, 'b', 7), hop(3, 'd', 8)]);
    expect([1, 2, 3].map((number) => hopLossRatio(way, number))).toEqual([0, 0.2, 0.2]);
  });

  test('cannot be told where the far end is silent', () => {
    expect(hopLossRatio(flow([hop(1, 'a', 5)], false), 1)).toBeUndefined();
    expect(traceRemarks(result(flow([], false)))).toEqual(['no hop answered', 'd itself did not answer']);
  });
});

describe('ways', () => {
  test('differ where both know their hop', () => {
    const first = flow([hop(1, 'a'), hop(2, 'b'), hop(3, 'd')]);
    const second = flow([hop(1, 'a'), hop(2, 'c'), hop(3, 'd')], true, 2);
    const silent = flow([hop(1, 'a'), hop(2), hop(3, 'd')], true, 3);
    expect(distinctWays(result(first, silent, first))).toHaveLength(1);
    expect(distinctWays(result(first, second, silent)).map((way) => way.flow)).toEqual([1, 2]);
    expect(traceRemarks(result(first, second)).at(-1)).toBe('2 ways for 2 flows: load balancing');
  });

  test('of different lengths differ', () => {
    expect(distinctWays(result(flow([hop(1, 'd')]), flow([hop(1, 'x'), hop(2, 'd')])))).toHaveLength(2);
  });

  test('a far end that was silent at its own hop makes no longer way', () => {
    const late = { ...hop(1, 'd'), hosts: [], answered: 0 };
    expect(distinctWays(result(flow([hop(1, 'd')]), flow([late, hop(2, 'd')])))).toHaveLength(1);
  });
});
