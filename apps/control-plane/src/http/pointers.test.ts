import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fieldErrors, jsonPointer, MOST_ERRORS } from './pointers.js';

const Test = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('a'), durationS: z.int() }),
  z.strictObject({
    kind: z.literal('b'),
    link: z.union([z.string(), z.strictObject({ name: z.string(), capacity: z.int() })]),
  }),
]);
const Plan = z.strictObject({ tests: z.array(Test), labels: z.record(z.string().min(2), z.string()).optional() });
const pointers = (value: unknown): string[] =>
  fieldErrors(Plan.safeParse(value).error?.issues ?? [], 'body').map((e) => e.pointer);

describe('a pointer', () => {
  test('escapes what RFC 6901 escapes, in that order', () => {
    expect(jsonPointer(['a/b', 'm~n', '~1', 0, ''])).toBe('/a~1b/m~0n/~01/0/');
    expect(jsonPointer([])).toBe('');
  });

  test('of a body is plain, of other parts a fragment', () => {
    const { issues } = z.strictObject({ limit: z.int() }).safeParse({ limit: 'x' }).error ?? { issues: [] };
    expect(fieldErrors(issues, 'query')[0]?.pointer).toBe('#/query/limit');
    expect(fieldErrors(z.int().safeParse('x').error?.issues ?? [], 'path', ['leg'])[0]?.pointer).toBe('#/path/leg');
  });

  test.each<[string, unknown, string[]]>([
    ['a wrong type', { tests: [{ kind: 'a', durationS: 'ten' }] }, ['/tests/0/durationS']],
    ['a missing field', { tests: [{ kind: 'a' }] }, ['/tests/0/durationS']],
    [
      'unknown fields, each',
      { tests: [{ kind: 'a', durationS: 1, foo: 1, bar: 2 }] },
      ['/tests/0/foo', '/tests/0/bar'],
    ],
    ['an unknown kind', { tests: [{ kind: 'c' }] }, ['/tests/0/kind']],
    ['no kind', { tests: [{}] }, ['/tests/0/kind']],
    ['a form of a union', { tests: [{ kind: 'b', link: { name: 'x', capacity: 'y' } }] }, ['/tests/0/link/capacity']],
    [
      'an unknown field in a form of a union',
      { tests: [{ kind: 'b', link: { name: 'x', capacity: 1, z: 1 } }] },
      ['/tests/0/link/z'],
    ],
    ['no form of a union', { tests: [{ kind: 'b', link: 3 }] }, ['/tests/0/link']],
    ['a key', { tests: [], labels: { x: 'y' } }, ['/labels/x']],
    ['the whole', [], ['']],
  ])('leads to %s', (_what, value, expected) => {
    expect(pointers(value)).toEqual(expected);
  });

  test('a union that fits in no form says what each would have wanted', () => {
    const [error] = fieldErrors(Plan.safeParse({ tests: [{ kind: 'b', link: 3 }] }).error?.issues ?? [], 'body');
    expect(error?.detail).toMatch(/expected string.*; or: .*expected object/);
  });

  test('there are never endlessly many', () => {
    const tests = Array.from({ length: 5_000 }, () => ({ kind: 'x' }));
    expect(pointers({ tests })).toHaveLength(MOST_ERRORS);
  });
});
