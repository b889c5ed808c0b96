import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isWellFormedToken, makeToken, tokenHash, tokenPrefix } from './token-format.js';

describe('an access token', () => {
  test('has a prefix, 34 random characters and a checksum of 6', () => {
    const token = makeToken();
    expect(token).toMatch(/^plb_[0-9A-Za-z]{40}$/);
    expect(isWellFormedToken(token)).toBe(true);
    expect(new Set(Array.from({ length: 100 }, makeToken)).size).toBe(100);
  });

  test('carries the CRC-32 of its random part in base62', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const token = makeToken();
    const sum = [...token.slice(-6)].reduce((n, c) => n * 62 + digits.indexOf(c), 0);
    expect(sum).toBe(crc32(token.slice(4, -6)));
  });

  test('is not one with any one character changed, added or left out', () => {
    fc.assert(
      fc.property(fc.nat(43), fc.constantFrom(...'0Az9_-. é'), (at, other) => {
        const token = makeToken();
        fc.pre(token[at] !== other);
        expect(isWellFormedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
        expect(isWellFormedToken(token.slice(0, at) + token.slice(at + 1))).toBe(false);
      }),
    );
  });

  test('is kept as a hash, and shown by its beginning', () => {
    const token = makeToken();
    expect(tokenHash(token)).toMatch(/^[0-9a-f]{64}$/);
    expect(token.startsWith(tokenPrefix(token))).toBe(true);
    expect(tokenPrefix(token)).toHaveLength(8);
  });
});
