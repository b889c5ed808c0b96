import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { FastifyRequest } from 'fastify';
import { type FieldError, MOST_ERRORS, pointerIn } from './pointers.js';
import { invalid } from './refusals.js';

type Part = 'query' | 'body';
const PART_TYPES = { query: RouteParamtypes.QUERY, body: RouteParamtypes.BODY } as const;

/**
 * Nothing that somebody sent is dropped in silence: a request that changes something is refused when it has parts that its
 * route does not take. Where the route takes a part, that part's schema says which fields there are.
 */
@Injectable()
export class StrictRequest implements CanActivate {
  /** @throws {ProblemError} invalid-request, with each field */
  canActivate(context: ExecutionContext): boolean {
    const { method, query, body } = context
      .switchToHttp()
      .getRequest<Pick<FastifyRequest, 'method' | 'query' | 'body'>>();
    if (method === 'GET' || method === 'HEAD') return true;
    const errors = [
      ...(takes(context, 'query') ? [] : strays('query', query)),
      ...(takes(context, 'body') ? [] : strays('body', body)),
    ];
    if (errors.length > 0) throw invalid(errors.slice(0, MOST_ERRORS));
    return true;
  }
}

function takes(context: ExecutionContext, part: Part): boolean {
  const args: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name);
  return Object.keys(args ?? {}).some((key) => key.startsWith(`${PART_TYPES[part]}:`));
}

function strays(part: Part, sent: unknown): FieldError[] {
  if (sent === undefined || sent === null) return [];
  if (typeof sent !== 'object' || Array.isArray(sent))
    return [{ detail: 'this request takes no body', pointer: pointerIn(part, []) }];
  const what = part === 'query' ? 'query parameter' : 'field';
  return Object.keys(sent).map((key) => ({
    detail: `there is no ${what} ${JSON.stringify(key)} here`,
    pointer: pointerIn(part, [key]),
  }));
}
