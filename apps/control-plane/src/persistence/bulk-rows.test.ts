import { describe, expect, it } from 'vitest';
import { decodeBlob, encodeBlob } from './blob-encoding.js';
import { soundMetric } from './bulk-rows.js';

describe('metrics as the table wants them', () => {
  it('have a reason exactly when they have no value', () => {
    expect(soundMetric({ name: 'm', value: 1, unit: 'count', reason: 'no-reply' })).toEqual({
      name: 'm',
      value: 1,
      unit: 'count',
    });
    expect(soundMetric({ name: 'm', value: null, unit: 'count' })).toMatchObject({
      value: null,
      reason: 'tool-cannot-say',
    });
    expect(soundMetric({ name: 'm', value: null, unit: 'count', reason: 'no-reply' })).toMatchObject({
      reason: 'no-reply',
    });
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(soundMetric({ name: 'm', value, unit: 'count' })).toMatchObject({
        value: null,
        reason: 'denominator-zero',
      });
  });
});

describe('blobs', () => {
  it('come back as they were, smaller where that is possible', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('x'), Buffer.alloc(100_000, 'ab'), Buffer.from([0, 255, 128])]) {
      const { encoding, encoded } = await encodeBlob(bytes);
      expect((await decodeBlob(encoding, encoded)).equals(bytes)).toBe(true);
      expect(encoded.length).toBeLessThanOrEqual(bytes.length);
    }
    await expect(decodeBlob('rot13', Buffer.alloc(1))).rejects.toThrow(RangeError);
  });
});
