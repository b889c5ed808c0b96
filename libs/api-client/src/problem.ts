import type { components } from './schema.js';

export type Problem = components['schemas']['Problem'];

/** What the control plane answered instead of success. `code` is the last part of the problem's type, as in docs/errors.md. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: string;

  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail ?? problem.title);
    this.code = problem.type.slice(problem.type.lastIndexOf('/') + 1);
  }
}

/** A problem from an answer's body; what is none (a proxy's page) still says its status. */
export function problemFrom(status: number, body: unknown): ApiProblem {
  const fields = typeof body === 'object' && body !== null ? new Map<string, unknown>(Object.entries(body)) : new Map();
  const text = (name: string): string | undefined => {
    const value: unknown = fields.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return new ApiProblem(status, {
    type: text('type') ?? 'about:blank',
    title: text('title') ?? `Status ${status} without an explanation`,
    status,
    detail: text('detail'),
    instance: text('instance'),
    errors: fieldErrors(fields.get('errors')),
  });
}

function fieldErrors(value: unknown): Problem['errors'] {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item: unknown) => {
    if (typeof item !== 'object' || item === null) return [];
    const { detail, pointer } = { detail: undefined, pointer: undefined, ...item };
    return typeof detail === 'string' && typeof pointer === 'string' ? [{ detail, pointer }] : [];
  });
}
