import { describe, expect, test } from 'vitest';
import { abilityOf } from '../../abilities.js';
import type { Reading } from '../../ability.js';
import { compareWays } from './changes.js';
import type { TraceFlow, TraceResult } from './result.js';

/** A flow in short: `a ? b` is a hop, a silent one, a hop; a way that ends with `d` has reached the far end. */
const flow = (words: string, number = 1): TraceFlow => {
  const hosts = words === '' ? [] : words.split(' ');
  const hops = hosts.map((host, i) => ({
    hop: i + 1,
    hosts: host === '?' ? [] : [host],
    sent: 10,
    answered: host === '?' ? 0 : 10,
  }));
  return { flow: number, reached: hosts.at(-1) === 'd', hops };
};
const way = (...flows: string[]): TraceResult => ({
  tool: 'mtr',
  method: 'icmp',
  destination: 'd',
  pinned: false,
  counted: true,
  flows: flows.map((words, i) => flow(words, i + 1)),
});
const pinned = (...flows: string[]): TraceResult => ({ ...way(...flows), method: 'udp', pinned: true });
/** Each change in short. */
const changes = (before: TraceResult, after: TraceResult): string[] =>
  compareWays(before, after).hops.map(
    (one) => `${one.what} ${one.hop}: ${one.before.join('|')} > ${one.after.join('|')}`,
  );

describe('one way beside the last one', () => {
  test.each([
    ['the same', 'a b d', 'a b d', []],
    ['a hop that does not answer now', 'a b d', 'a ? d', []],
    ['a hop that did not answer then', 'a ? d', 'a b d', []],
    ['another host', 'a b d', 'a x d', ['changed 2: b > x']],
    ['one hop more in the middle', 'a b c d', 'a x b c d', ['appeared 2:  > x']],
    ['one hop less in the middle', 'a b c d', 'a c d', ['vanished 2: b > ']],
    ['a silent hop more', 'a b d', 'a b ? d', []],
    ['a detour of other hosts', 'a b c d', 'a x y z d', ['appeared 2:  > x', 'changed 3: b > y', 'changed 4: c > z']],
    ['a far end that is silent now: what is behind the last answer is unknown', 'a b c d', 'a b ? ?', []],
    ['a far end that was silent then', 'a b', 'a b c d', []],
    ['another first hop of a way that ends early', 'a b c d', 'x b', ['changed 1: a > x']],
  ])('%s', (_, before, after, expected) => {
    const seen = changes(way(before), way(after));
    expect(seen.toSorted()).toEqual(expected.toSorted());
  });

  test('says how many hops could be compared', () => {
    expect(compareWays(way('a ? c d'), way('a b ? d')).compared).toBe(2);
    expect(compareWays(way('? ?'), way('a d'))).toEqual({ hops: [], compared: 0 });
  });
});

describe('ways of several flows', () => {
  test('are sets: which of them a flow shows is chance', () => {
    const both = way('a b d', 'a c d');
    expect(changes(both, way('a c d', 'a b d'))).toEqual([]);
    expect(changes(both, way('a b d', 'a b d'))).toEqual([]);
    expect(changes(way('a b d', 'a b d'), both)).toEqual([]);
    expect(changes(both, way('a x d', 'a y d'))).toEqual(['changed 2: b|c > x|y']);
  });

  test('with ports that stay the same the sets must be the same', () => {
    const both = pinned('a b d', 'a c d');
    expect(changes(both, pinned('a c d', 'a b d'))).toEqual([]);
    expect(changes(both, pinned('a b d', 'a b d'))).toEqual(['changed 2: b|c > b']);
    expect(changes(pinned('a b d', 'a b d'), both)).toEqual(['changed 2: b > b|c']);
    expect(changes(both, pinned('a b d', 'a x d'))).toEqual(['changed 2: b|c > b|x']);
  });

  test('a flow without an answer takes nothing away', () => {
    expect(changes(pinned('a b d', 'a c d'), pinned('a b d', 'a ? d'))).toEqual([]);
    expect(changes(pinned('a b d', 'a ? d'), pinned('a b d', 'a c d'))).toEqual([]);
    expect(changes(pinned('a b d', 'a c d'), pinned('a x d', 'a ? d'))).toEqual(['changed 2: b|c > x']);
  });
});

describe('since the last trace', () => {
  const prepared = (spec: object = {}) => {
    const ability = abilityOf('trace', 'mtr')?.prepare(spec).sinceLast;
    if (!ability) throw new Error('a trace is not compared');
    return ability;
  };
  const reading = (result: TraceResult | null, outcome: 'completed' | 'failed' = 'completed'): Reading => ({
    ending: outcome === 'completed' ? { outcome } : { outcome, reason: 'tool-failed' },
    metrics: [],
    result,
    notes: [],
  });
  const ids = { run: '0190a0a0-0000-7000-8000-000000000001', attempt: '0190a0a0-0000-7000-8000-000000000002' };
  const earlier = (result: unknown) => ({ ...ids, endedAt: '2026-11-30T10:00:00.000Z', result });
  const values = ({ metrics }: Reading) => metrics.map(({ name, value, reason }) => [name, value ?? reason]);

  test('traces of the same method and flows are compared, however often hops were asked', () => {
    expect(prepared({ cycles: 3, maxHops: 20 }).same).toEqual(prepared().same);
    expect(prepared({ port: 80 }).same).toEqual(prepared().same);
    expect(prepared({ method: 'tcp-syn', port: 80 }).same).not.toEqual(prepared({ method: 'tcp-syn' }).same);
    expect(prepared({ method: 'udp' }).same).not.toEqual(prepared().same);
    expect(prepared({ flows: 2 }).same).not.toEqual(prepared().same);
  });

  test('names what changed, and the lengths', () => {
    const seen = prepared().compare(reading(way('a x e d')), earlier(way('a b d')));
    expect(values(seen)).toEqual([
      ['hops.changed', 2],
      ['hops.before', 3],
    ]);
    expect(seen.result).toMatchObject({
      flows: [{}],
      changes: {
        since: { ...ids, endedAt: '2026-11-30T10:00:00.000Z' },
        length: { before: 3, after: 4 },
      },
    });
    expect(seen.notes).toEqual([
      expect.stringMatching(/^since the trace of 2026-11-30T10:00:00\.000Z: hop .*; 4 hops to the far end, then 3$/),
    ]);
  });

  test('says that nothing changed, that the far end fell silent, and that nothing could be compared', () => {
    const same = prepared().compare(reading(way('a b d')), earlier(way('a b d')));
    expect(values(same)[0]).toEqual(['hops.changed', 0]);
    expect(same.notes).toEqual(['the same way as in the trace of 2026-11-30T10:00:00.000Z']);
    expect(prepared().compare(reading(way('a b ?')), earlier(way('a b d'))).notes[0]).toContain('does not now');
    const silent = prepared().compare(reading(way('a b d')), earlier(way('? ?')));
    expect(values(silent)).toEqual([
      ['hops.changed', 'no-reply'],
      ['hops.before', 'no-reply'],
    ]);
  });

  test('says when there is no earlier one, and when there is nothing to compare', () => {
    for (const none of [undefined, earlier(null), earlier({ printed: 1 })]) {
      const first = prepared().compare(reading(way('a d')), none);
      expect(values(first)).toEqual([
        ['hops.changed', 'no-earlier-one'],
        ['hops.before', 'no-earlier-one'],
      ]);
      expect(first.result).toMatchObject({ changes: { since: null, hops: [], length: { before: null, after: 2 } } });
      expect(first.notes[0]).toContain('no earlier trace');
    }
    const failed = prepared().compare(reading(null, 'failed'), earlier(way('a d')));
    expect(values(failed)[0]).toEqual(['hops.changed', 'attempt-failed']);
    expect(failed.result).toBeNull();
  });
});
