import { z } from 'zod';

/** Problem types of the HTTP surface (RFC 9457). `type` is `<PROBLEM_BASE><code>`; docs/errors.md is checked against this table. */
export const PROBLEMS = {
  'invalid-request': { status: 422, title: 'The request is not valid' },
  'malformed-request': { status: 400, title: 'The request cannot be read' },
  'malformed-body': { status: 400, title: 'The body is not JSON' },
  unauthorized: { status: 401, title: 'A valid token is needed' },
  'insufficient-scope': { status: 403, title: 'The token may not do this' },
  'not-found': { status: 404, title: 'There is no such thing' },
  'method-not-allowed': { status: 405, title: 'This resource does not have that method' },
  conflict: { status: 409, title: 'The request conflicts with what is there' },
  'in-use': { status: 409, title: 'Something else still needs this' },
  'idempotency-in-progress': {
    status: 409,
    title: 'The first request with this Idempotency-Key is still being answered',
  },
  'idempotency-mismatch': { status: 422, title: 'This Idempotency-Key was used with another request' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'endpoint-mismatch': { status: 422, title: "The endpoints differ from the probe's own" },
  'probe-unreachable': { status: 422, title: 'The probe does not answer' },
  'probe-incompatible': { status: 422, title: "The probe's version does not fit" },
  'probe-identity-mismatch': { status: 422, title: 'Another probe answers at that address' },
  'not-reparsable': { status: 409, title: 'The attempt cannot be read again' },
  'enrolment-token-invalid': { status: 401, title: 'The enrolment token is not valid' },
  'not-ready': { status: 503, title: 'Not ready yet' },
  'database-unavailable': { status: 503, title: 'The database does not answer' },
  'internal-error': { status: 500, title: 'Plumbline made a mistake' },
} as const satisfies Record<string, { status: number; title: string }>;
export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_BASE = 'https://plumbline.example/errors/';

export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    instance: z.string().optional(),
    errors: z
      .array(
        z.object({
          detail: z.string(),
          pointer: z.string().meta({ description: 'JSON Pointer into the body, or #/query/NAME, #/path/NAME' }),
        }),
      )
      .optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof Problem>;

/** A failure that the caller can do something about. Thrown anywhere in the control plane; turned into a Problem once, at the HTTP edge. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly errors?: readonly { detail: string; pointer: string }[],
    readonly headers?: Readonly<Record<string, string>>,
  ) {
    super(detail);
  }
}
