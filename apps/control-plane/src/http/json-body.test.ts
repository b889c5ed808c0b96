import { ProblemError } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEEPEST, parseJsonBody, unstorable } from './json-body.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const codeOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof ProblemError ? error.code : String(error);
  }
};

describe('a body', () => {
  test('of nothing is undefined', () => expect(parseJsonBody(bytes(''))).toBeUndefined());

  test('is what JSON.parse makes of it, when it can be stored', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/\\u0000|__proto__/.test(text) && text.isWellFormed() && !/\\ud[89a-f]/i.test(text));
        expect(parseJsonBody(bytes(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test.each(['{', 'undefined', '01', '{"a":1,}', "{'a':1}", '"\n"'])('%j is not JSON', (text) => {
    expect(codeOf(() => parseJsonBody(bytes(text)))).toBe('malformed-body');
  });

  test('that is not UTF-8 is not read', () => {
    expect(codeOf(() => parseJsonBody(new Uint8Array([0x22, 0xc3, 0x28, 0x22])))).toBe('malformed-body');
  });

  test.each([
    ['{"a":["\\u0000"]}', '/a/0'],
    ['{"a":"\\udc00"}', '/a'],
    ['{"a":{"__proto__":1}}', '/a/__proto__'],
    [`${'['.repeat(DEEPEST + 1)}1${']'.repeat(DEEPEST + 1)}`, '/0'.repeat(DEEPEST + 1)],
  ])('%s cannot be stored', (text, pointer) => {
    expect(unstorable(JSON.parse(text)).map((e) => e.pointer)).toEqual([pointer]);
    expect(codeOf(() => parseJsonBody(bytes(text)))).toBe('invalid-request');
  });

  test('of the deepest that is taken is taken', () => {
    expect(unstorable(JSON.parse(`${'['.repeat(DEEPEST)}1${']'.repeat(DEEPEST)}`))).toEqual([]);
  });

  test('nested without end does not exhaust the stack', () => {
    expect(codeOf(() => parseJsonBody(bytes(`${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`)))).toBe(
      'invalid-request',
    );
  });
});
