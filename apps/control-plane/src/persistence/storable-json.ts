import type { Prisma } from './generated/client.js';

/**
 * The value as Postgres can store it in jsonb and text: no U+0000 and no lone surrogate in any string (both are refused
 * there; PostgreSQL manual, 8.14), no undefined, numbers that are not finite as null. Bigints become numbers while
 * exact, else text. What tools print may hold anything; a result must not be lost for it.
 */
export function storableJson(value: unknown): Prisma.InputJsonValue | null {
  return clean(value, 0);
}

/** The same as JSON text, for a `$1::jsonb` parameter. */
export const storableJsonText = (value: unknown): string => JSON.stringify(clean(value, 0));

/** One line or text as Postgres can store it. */
export const storableText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed();

type Clean = Prisma.InputJsonValue | null;

function clean(value: unknown, depth: number): Clean {
  if (depth > 64) return '...';
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map((item: unknown) => clean(item, depth + 1));
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined && typeof item !== 'function')
      .map(([key, item]) => [storableText(key), clean(item, depth + 1)]),
  );
}
