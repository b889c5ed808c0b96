import { ProblemError } from '@plumbline/model';
import { type FieldError, jsonPointer, MOST_ERRORS } from './pointers.js';

/** Deeper than anything that this API takes; schemas and Postgres never see more. */
export const DEEPEST = 32;
export const LARGEST_BODY_BYTES = 1024 * 1024;

/**
 * Reads a request's body.
 * @returns undefined for an empty body
 * @throws {ProblemError} malformed-body when the bytes are no UTF-8 or no JSON; invalid-request when the JSON holds what
 * no field can hold: NUL and lone surrogates (Postgres refuses both in text and jsonb), `__proto__`, endless nesting
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : 'it is not UTF-8';
    throw new ProblemError('malformed-body', `The body cannot be read: ${why}.`);
  }
  const errors = unstorable(value);
  if (errors.length > 0) throw new ProblemError('invalid-request', 'The body holds what no field can hold.', errors);
  return value;
}

/** Why a JSON value cannot be stored as it is. Walks with a list of its own, so that no nesting exhausts the stack. */
export function unstorable(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const waiting: { value: unknown; path: readonly string[] }[] = [{ value, path: [] }];
  // Ends: a parsed JSON value is a finite tree, and each of its values is taken once.
  for (let next = waiting.pop(); next && errors.length < MOST_ERRORS; next = waiting.pop()) {
    const { value, path } = next;
    const why = whyNot(value, path);
    if (why) errors.push({ detail: why, pointer: jsonPointer(path) });
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) {
        const badKey = key === '__proto__' ? 'a field cannot have this name' : badText(key);
        if (badKey) errors.push({ detail: `the key: ${badKey}`, pointer: jsonPointer([...path, key.toWellFormed()]) });
        else waiting.push({ value: inner, path: [...path, key] });
      }
  }
  return errors.slice(0, MOST_ERRORS);
}

function whyNot(value: unknown, path: readonly string[]): string | undefined {
  if (path.length > DEEPEST) return `nested deeper than ${DEEPEST} levels`;
  return typeof value === 'string' ? badText(value) : undefined;
}

/** What Postgres cannot keep in a text: the character NUL, and half a surrogate pair. */
export function badText(text: string): string | undefined {
  if (text.includes('\0')) return 'the character U+0000 cannot be stored';
  return text.isWellFormed() ? undefined : 'half a surrogate pair is not a character';
}
