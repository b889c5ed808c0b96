import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalid } from './refusals.js';
import { wholeNumber } from './whole-number.js';

const DEFAULT_SIZE = 50;
const LARGEST_SIZE = 200;

/**
 * Pages as AIP-158 has them: a page size past the largest is taken as the largest, 0 is the default; the token is opaque, and good
 * only with the filters that it came with.
 */
export const PageQuery = z.strictObject({
  pageSize: wholeNumber(Number.MAX_SAFE_INTEGER)
    .transform((size) => (size === 0 ? DEFAULT_SIZE : Math.min(size, LARGEST_SIZE)))
    .optional()
    .meta({
      description: `Items in a page; default ${DEFAULT_SIZE}, more than ${LARGEST_SIZE} is taken as ${LARGEST_SIZE}`,
    }),
  pageToken: z.string().min(1).max(1000).optional().meta({ description: 'nextPageToken of the page before' }),
});
export type PageQuery = z.output<typeof PageQuery>;

/** A list as every route answers it; the last page has no nextPageToken. */
export const pageOf = <S extends z.ZodType>(item: S, id: string) =>
  z.object({ items: z.array(item), nextPageToken: z.string().optional() }).meta({ id });
export interface Page<T> {
  items: T[];
  nextPageToken?: string;
}

/** Where a page starts and how many rows it has. Ask for one row more: it shows whether there is a next page. */
export interface Window<K> {
  readonly size: number;
  readonly after: K | undefined;
  readonly page: <R, T>(rows: readonly R[], keyOf: (row: R) => K, itemOf: (row: R) => T) => Page<T>;
}

/** @throws {ProblemError} invalid-request when the token is not ours or belongs to other filters */
export function windowOf<K>(
  query: PageQuery,
  key: z.ZodType<K>,
  filters: Readonly<Record<string, unknown>> = {},
): Window<K> {
  const size = query.pageSize ?? DEFAULT_SIZE;
  const mark = createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 12);
  return {
    size,
    after: query.pageToken === undefined ? undefined : readToken(query.pageToken, key, mark),
    page: (rows, keyOf, itemOf) => {
      const shown = rows.slice(0, size);
      const last = shown.at(-1);
      const items = shown.map(itemOf);
      return rows.length > size && last !== undefined
        ? { items, nextPageToken: Buffer.from(JSON.stringify([mark, keyOf(last)])).toString('base64url') }
        : { items };
    },
  };
}

function readToken<K>(token: string, key: z.ZodType<K>, mark: string): K {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    content = undefined;
  }
  const parsed = z.tuple([z.string(), key]).safeParse(content);
  if (!parsed.success) throw badToken('this is not a nextPageToken of this list');
  const [itsMark, after] = parsed.data;
  if (itsMark !== mark) throw badToken('this nextPageToken came with other filters; keep them the same for all pages');
  return after;
}

const badToken = (detail: string) => invalid([{ detail, pointer: '#/query/pageToken' }]);
