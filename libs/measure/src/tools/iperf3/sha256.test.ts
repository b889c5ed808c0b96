import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from './sha256.js';

test.each([
  // FIPS 180-4 example, and the empty text.
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
])('of %j', (text, hash) => {
  expect(sha256Hex(text)).toBe(hash);
});

test('is that of OpenSSL, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 150 }), (text) => {
      const wellFormed = new TextDecoder().decode(new TextEncoder().encode(text));
      expect(sha256Hex(wellFormed)).toBe(createHash('sha256').update(wellFormed).digest('hex'));
    }),
    { numRuns: 60 },
  );
});
