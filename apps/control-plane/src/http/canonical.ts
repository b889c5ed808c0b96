import { createHash } from 'node:crypto';

/** JSON with sorted keys: two values that mean the same have the same text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(value, sortKeys) ?? 'null';

export const canonicalHash = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value)).digest('hex');

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
