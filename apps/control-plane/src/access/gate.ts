import { Injectable } from '@nestjs/common';
import { ProblemError } from '@plumbline/model';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { allowedMethods, type RoutePattern } from '../http/allowed-methods.js';
import { within } from '../http/deadline.js';
import { accessOf } from './route-scopes.js';
import { permits } from './scopes.js';
import { type Caller, Tokens } from './tokens.js';

/** One row by its key: what takes longer will not come. */
const LOOK_UP_MS = 5_000;

const callers = new WeakMap<FastifyRequest, Caller>();

/** Who sent a request that the gate let through. @throws when the route is open to everybody */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error('this route has no caller: it is public');
  return caller;
}

/**
 * Stands before every route, and before a body is read: nobody without a token can make us parse anything. Closed
 * unless the table opens it.
 */
@Injectable()
export class Gate {
  constructor(private readonly tokens: Tokens) {}

  install(fastify: FastifyInstance): void {
    const routes: RoutePattern[] = [];
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const m of [method].flat()) routes.push({ method: m, url });
    });
    fastify.addHook('onRequest', async (request) => {
      if (request.is404) throw this.noSuchRoute(routes, request);
      await this.admit(request, request.routeOptions.method, request.routeOptions.url ?? '');
    });
  }

  private async admit(request: FastifyRequest, method: string | string[], url: string): Promise<void> {
    const access = accessOf([method].flat()[0] ?? '', url);
    if (access === 'public' || access === 'self') return;
    const caller = await within(LOOK_UP_MS, this.tokens.callerOf(request.headers.authorization));
    if (access === undefined || !permits(caller.scopes, access))
      throw new ProblemError(
        'insufficient-scope',
        `This needs a token with the scope ${access ?? 'of a route that is closed'}.`,
        undefined,
        {
          'www-authenticate': `Bearer realm="plumbline", error="insufficient_scope"${access ? `, scope="${access}"` : ''}`,
        },
      );
    callers.set(request, caller);
  }

  private noSuchRoute(routes: readonly RoutePattern[], request: FastifyRequest): ProblemError {
    const path = request.url.split('?', 1)[0] ?? '';
    const allow = allowedMethods(routes, path);
    if (allow.length === 0)
      return new ProblemError('not-found', 'There is no such route. GET /openapi.json lists them.');
    return new ProblemError('method-not-allowed', `This resource has ${allow.join(', ')}.`, undefined, {
      allow: allow.join(', '),
    });
  }
}
