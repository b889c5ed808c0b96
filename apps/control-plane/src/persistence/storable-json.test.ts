import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storableJson, storableJsonText, storableText } from './storable-json.js';

describe('what goes into jsonb', () => {
  it('holds no U+0000, no lone surrogate, no number that JSON lacks', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true }), (value) => {
        const text = storableJsonText(value);
        expect(text).not.toContain('\\u0000');
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toMatch(/\\ud[89a-f]/i);
        expect(JSON.parse(text)).toEqual(storableJson(value));
      }),
    );
  });

  it('keeps ordinary values as they are', () => {
    const value = { a: [1, 'x', true, null], b: { c: 'ü' } };
    expect(storableJson(value)).toEqual(value);
    expect(storableJson({ a: undefined, big: 5n, huge: 2n ** 60n, nan: Number.NaN })).toEqual({
      big: 5,
      huge: '1152921504606846976',
      nan: null,
    });
    expect(storableText('a\u0000b\ud800')).toBe('a\uFFFDb\uFFFD');
  });
});
