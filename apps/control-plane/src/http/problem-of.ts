import { HttpException } from '@nestjs/common';
import { PROBLEM_BASE, PROBLEMS, type Problem, type ProblemCode, ProblemError } from '@plumbline/model';
import { isConnectionFault } from '../persistence/connection-fault.js';

/** What is sent for an error, and whether it is ours to mend. */
export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** True for what nobody foresaw: it goes to the log with its stack, and the caller learns nothing of it. */
  readonly unforeseen: boolean;
}

/** Errors of Fastify by their code; what is not here and has a 4xx status is a request that cannot be read. */
const BY_FASTIFY_CODE: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body-too-large', 'A body has at most 1 MiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported-media-type', 'Send JSON as Content-Type: application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_TYPE: ['unsupported-media-type', 'Send JSON as Content-Type: application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed-request', 'The body is not as long as its Content-Length says.'],
  FST_ERR_BAD_URL: ['malformed-request', 'The URL holds a percent-encoding that stands for nothing.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not-found', 'No name is that long.'],
};

/** The one place where errors become problem details. */
export function problemOf(error: unknown, instance: string): ProblemAnswer {
  const known = knownProblem(error);
  const { code, detail, errors, headers } = known ?? {
    code: 'internal-error' as const,
    detail: 'The log of the control plane has the details, under the request id in instance.',
  };
  const { status, title } = PROBLEMS[code];
  return {
    problem: {
      type: PROBLEM_BASE + code,
      title,
      status,
      detail,
      instance,
      ...(errors && errors.length > 0 ? { errors: [...errors] } : {}),
    },
    headers: headers ?? {},
    unforeseen: known === undefined,
  };
}

type Known = {
  code: ProblemCode;
  detail: string;
  errors?: readonly { detail: string; pointer: string }[] | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
};

function knownProblem(error: unknown): Known | undefined {
  if (error instanceof ProblemError)
    return { code: error.code, detail: error.message, errors: error.errors, headers: error.headers };
  if (isConnectionFault(error))
    return {
      code: 'database-unavailable',
      detail: 'Postgres does not answer. Try again in a few seconds.',
      headers: RETRY,
    };
  const [code, status] = [textField(error, 'code'), statusOf(error)];
  const [known, detail] = BY_FASTIFY_CODE[code] ?? [];
  if (known && detail) return { code: known, detail };
  if (status === 404) return { code: 'not-found', detail: 'There is no such route.' };
  if (status >= 400 && status < 500) return { code: 'malformed-request', detail: 'The request cannot be read.' };
  return undefined;
}

export const RETRY: Readonly<Record<string, string>> = { 'retry-after': '2' };

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : 500;
}

function textField(error: unknown, name: string): string {
  const value = error instanceof Error ? Object.entries(error).find(([key]) => key === name)?.[1] : undefined;
  return typeof value === 'string' ? value : '';
}
