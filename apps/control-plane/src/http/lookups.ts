import type { z } from 'zod';

const nouns = new WeakMap<object, string>();

/**
 * A path parameter that names something which must exist already: what does not even look like a name is answered
 * 404 like any other unknown name, not 422.
 */
export function lookup<S extends z.ZodType>(schema: S, noun: string): S {
  const copy = schema.clone();
  nouns.set(copy, noun);
  return copy;
}

export const nounOf = (schema: object): string | undefined => nouns.get(schema);
