import { ProblemError } from '@plumbline/model';
import type { FieldError } from './pointers.js';

/** 422 with the fields. */
export const invalid = (errors: FieldError[]): ProblemError =>
  new ProblemError('invalid-request', 'Fields of the request are not valid; errors says which.', errors);

/** 404 for something that has a name. */
export const notThere = (noun: string, name: unknown): ProblemError =>
  new ProblemError('not-found', `There is no ${noun} ${quoted(name)}.`);

/** 409 with what still needs the thing, at most a few of them. */
export const inUse = (what: string, by: readonly string[]): ProblemError =>
  new ProblemError('in-use', `${what} is still used by ${listed(by)}. Delete or change these first.`);

export const quoted = (name: unknown): string => JSON.stringify(String(name).toWellFormed().slice(0, 100));

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}
