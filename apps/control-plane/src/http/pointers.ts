import type { Problem } from '@plumbline/model';
import type { z } from 'zod';

export type FieldError = NonNullable<Problem['errors']>[number];
type Issue = z.core.$ZodIssue;

/** The longest list of field errors in one problem; more would only hide the first. */
export const MOST_ERRORS = 100;

/** Which part of the request was read: the body is pointed into by a plain JSON Pointer, the rest by `#/query/NAME`. */
export type RequestPart = 'body' | 'query' | 'path' | 'header';

/** A JSON Pointer (RFC 6901) of a path; the whole document is the empty text. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const pointerIn = (part: RequestPart, path: readonly PropertyKey[]): string =>
  part === 'body' ? jsonPointer(path) : `#/${part}${jsonPointer(path)}`;

/** Every issue as a sentence and the field that it is about: unions point into the form that was meant, unknown fields are named. */
export function fieldErrors(
  issues: readonly Issue[],
  part: RequestPart,
  under: readonly PropertyKey[] = [],
): FieldError[] {
  return issues.flatMap((issue) => fieldErrorsOf(issue, part, [...under, ...issue.path])).slice(0, MOST_ERRORS);
}

function fieldErrorsOf(issue: Issue, part: RequestPart, path: readonly PropertyKey[]): FieldError[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      detail: `there is no field ${JSON.stringify(key)} here`,
      pointer: pointerIn(part, [...path, key]),
    }));
  if (issue.code === 'invalid_key')
    return [{ detail: `the key: ${issue.issues[0]?.message ?? issue.message}`, pointer: pointerIn(part, path) }];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const meant = formThatWasMeant(issue.errors);
    if (meant) return fieldErrors(meant, part, path);
    if (issue.message === 'Invalid input') return [{ detail: eitherOf(issue.errors), pointer: pointerIn(part, path) }];
  }
  return [{ detail: issue.message, pointer: pointerIn(part, path) }];
}

/** Of a union's forms, the one that got further than "this is of another type"; undefined when none did. */
function formThatWasMeant(forms: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return forms.find(
    (issues) => issues.length > 0 && issues.every((i) => i.path.length > 0 || i.code === 'unrecognized_keys'),
  );
}

/** For a union that says nothing of its own: what each of its forms would have wanted. */
const eitherOf = (forms: readonly (readonly Issue[])[]): string =>
  [...new Set(forms.flatMap(([first]) => (first ? [first.message] : [])))].join('; or: ');
