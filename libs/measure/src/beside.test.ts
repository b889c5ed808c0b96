import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Phase } from './ability.js';
import { groupsOf } from './beside.js';

const phase = (name: string, beside = false): Phase => ({
  name,
  tool: 'ping',
  argv: ['ping'],
  timeoutMs: 1,
  ...(beside ? { beside: { leadMs: 10, graceMs: 20 } } : {}),
});
const names = (phases: readonly Phase[]) =>
  groupsOf(phases).map(({ mains, beside }) => [...beside, ...mains].map(({ name }) => name).join('+'));

describe('phases beside each other', () => {
  test('belong to the next that is not beside anything', () => {
    expect(names([phase('baseline'), phase('idle'), phase('load', true), phase('test')])).toEqual([
      'baseline',
      'idle',
      'load+test',
    ]);
    expect(names([phase('a', true), phase('b', true), phase('c'), phase('d')])).toEqual(['a+b+c', 'd']);
  });

  test('without one that follows, the last is waited for', () => {
    expect(names([phase('a', true), phase('b', true)])).toEqual(['a+b']);
    expect(names([])).toEqual([]);
  });

  test('each runs once, in its order', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (kinds) => {
        const phases = kinds.map((beside, i) => phase(String(i), beside));
        expect(groupsOf(phases).flatMap(({ mains, beside }) => [...beside, ...mains])).toEqual(phases);
      }),
    );
  });
});
