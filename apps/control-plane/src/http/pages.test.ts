import { ProblemError } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PageQuery, windowOf } from './pages.js';

/** A list of names as a database gives it, page by page. */
function pages(names: readonly string[], pageSize: number): string[][] {
  const sorted = [...names].sort();
  const found: string[][] = [];
  let pageToken: string | undefined;
  do {
    const window = windowOf({ pageSize, pageToken }, z.string());
    const { after } = window;
    const rows = sorted.filter((name) => after === undefined || name > after).slice(0, window.size + 1);
    const page = window.page(
      rows,
      (name) => name,
      (name) => name,
    );
    found.push(page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}

describe('pages', () => {
  test('hold everything once and in order, and only the last may be short', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 7 }), (names, size) => {
        const found = pages(names, size);
        expect(found.flat()).toEqual([...names].sort());
        expect(found.slice(0, -1).every((page) => page.length === size)).toBe(true);
      }),
    );
  });

  test.each([
    [undefined, undefined],
    ['0', 50],
    ['7', 7],
    ['200', 200],
    ['201', 200],
    ['999999999999999', 200],
  ])('a page size of %s is taken as %s', (given, taken) => {
    expect(PageQuery.parse(given === undefined ? {} : { pageSize: given }).pageSize).toBe(taken);
  });

  test.each(['-1', '', ' 1', '1.5', '0x10', '1e3', 'ten'])('%j is no page size', (pageSize) => {
    expect(PageQuery.safeParse({ pageSize }).success).toBe(false);
  });

  test('a token is good with its own filters only', () => {
    const token = windowOf({ pageSize: 1 }, z.string(), { state: 'queued' }).page(
      ['a', 'b'],
      (s) => s,
      (s) => s,
    ).nextPageToken;
    expect(windowOf({ pageToken: token }, z.string(), { state: 'queued' }).after).toBe('a');
    for (const filters of [{}, { state: 'running' }])
      expect(() => windowOf({ pageToken: token }, z.string(), filters)).toThrow(ProblemError);
    expect(() => windowOf({ pageToken: token }, z.int(), { state: 'queued' })).toThrow(ProblemError);
    expect(() => windowOf({ pageToken: `${token}x` }, z.string(), { state: 'queued' })).toThrow(ProblemError);
  });
});
