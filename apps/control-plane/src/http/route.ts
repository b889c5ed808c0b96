import { applyDecorators, Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import { PROBLEMS, type ProblemCode } from '@plumbline/model';
import type { z } from 'zod';
import { accessOf } from '../access/route-scopes.js';

const METHODS = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete } as const;
type Method = keyof typeof METHODS;

/** What a route answers when it succeeds. Without a schema and a media type the answer has no body. */
export interface RouteAnswer {
  readonly status: 200 | 201 | 202 | 204 | 503;
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
export interface RouteText {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The first is the one that Nest sends by itself. */
  readonly answers: readonly [RouteAnswer, ...RouteAnswer[]];
  /** Besides those that every route of its kind has. */
  readonly problems?: readonly ProblemCode[];
  readonly requestHeaders?: readonly { readonly name: string; readonly description: string }[];
  readonly bodyExample?: unknown;
}

/** Example bodies by operation: the document gets them at its end, where its request bodies are made. */
export const BODY_EXAMPLES = new Map<string, unknown>();

/** A route and all that the OpenAPI document says of it. `path` is Fastify's: `/v1/sites/:name`. */
export function Route(method: Method, path: string, text: RouteText): MethodDecorator {
  const { operationId, summary, description, tag, answers } = text;
  const access = accessOf(method, path);
  if (text.bodyExample !== undefined) BODY_EXAMPLES.set(operationId, text.bodyExample);
  return applyDecorators(
    METHODS[method](path),
    HttpCode(answers[0].status),
    ApiOperation({
      operationId,
      summary,
      tags: [tag],
      ...(description === undefined ? {} : { description }),
      security: access === 'public' ? [] : [{ [access === 'self' ? 'enrolmentToken' : 'accessToken']: [] }],
    }),
    ...answers.map(answerDecorator),
    ...problemDecorators(problemsOf(method, path, text.problems ?? [])),
    ...(text.requestHeaders ?? []).map(({ name, description }) => ApiHeader({ name, description, required: false })),
  );
}

function answerDecorator({ status, description, schema, mediaType, headers }: RouteAnswer): MethodDecorator {
  const shown = headers && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, what]) => [name, { description: what, schema: { type: 'string' as const } }]),
    ),
  };
  if (mediaType)
    return ApiResponse({ status, description, content: { [mediaType]: { schema: { type: 'string' } } }, ...shown });
  return ApiResponse({ status, description, ...(schema ? { standardSchema: schema } : {}), ...shown });
}

const WITH_BODY: readonly ProblemCode[] = [
  'malformed-body',
  'body-too-large',
  'unsupported-media-type',
  'invalid-request',
];

function problemsOf(method: Method, path: string, own: readonly ProblemCode[]): ProblemCode[] {
  const access = accessOf(method, path);
  const closed: ProblemCode[] =
    access === 'public'
      ? []
      : access === 'self'
        ? ['database-unavailable']
        : ['unauthorized', 'insufficient-scope', 'database-unavailable'];
  const body = method === 'GET' ? [] : WITH_BODY;
  return [...new Set<ProblemCode>(['malformed-request', ...body, ...closed, ...own])];
}

/** Codes that share a status share its entry in the document. */
function problemDecorators(codes: readonly ProblemCode[]): MethodDecorator[] {
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code].status))];
  return statuses.map((status) =>
    ApiResponse({
      status,
      description: codes
        .filter((code) => PROBLEMS[code].status === status)
        .map((code) => `${code}: ${PROBLEMS[code].title}`)
        .join('; '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    }),
  );
}
