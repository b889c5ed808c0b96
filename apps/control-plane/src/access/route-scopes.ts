import type { Scope } from './scopes.js';

/**
 * How a route is opened: by anybody, by a token with a scope, or by what the request itself carries (a one-time token, a
 * signature), which the route then checks.
 */
export type Access = 'public' | 'self' | Scope;

/**
 * Every route and what opens it. A route that is not here is closed to everybody: the gate refuses it, and a test
 * compares this table with the OpenAPI document.
 */
export const ROUTE_ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /openapi.json': 'public',
  'GET /metrics': 'read',
  'GET /v1/catalogue': 'read',

  'GET /v1/sites': 'read',
  'GET /v1/sites/:name': 'read',
  'PUT /v1/sites/:name': 'admin',
  'DELETE /v1/sites/:name': 'admin',

  'GET /v1/probes': 'read',
  'POST /v1/probes': 'probe:enrol',
  'GET /v1/probes/:name': 'read',
  'PATCH /v1/probes/:name': 'admin',
  'DELETE /v1/probes/:name': 'admin',
  'GET /v1/probes/:name/snapshot': 'read',
  'POST /v1/probes/:name/enrolment': 'probe:enrol',
  'POST /v1/enrolments': 'self',
  'POST /v1/enrolments/renewal': 'self',

  'GET /v1/paths': 'read',
  'GET /v1/paths/:name': 'read',
  'PUT /v1/paths/:name': 'admin',
  'DELETE /v1/paths/:name': 'admin',

  'GET /v1/plans': 'read',
  'GET /v1/plans/:name': 'read',
  'PUT /v1/plans/:name': 'plan',
  'DELETE /v1/plans/:name': 'plan',

  'GET /v1/runs': 'read',
  'POST /v1/runs': 'run',
  'GET /v1/runs/:id': 'read',
  'POST /v1/runs/:id/cancel': 'run',
  'GET /v1/runs/:id/events': 'read',
  'GET /v1/runs/:id/legs/:leg/steps/:step/attempts/:attempt/artifacts': 'read',
  'GET /v1/runs/:id/legs/:leg/steps/:step/attempts/:attempt/artifacts/:artifact': 'read',
  'GET /v1/runs/:id/legs/:leg/steps/:step/attempts/:attempt/raw': 'read',
  'POST /v1/runs/:id/legs/:leg/steps/:step/attempts/:attempt/reparse': 'run',
  'POST /v1/runs/:id/diagnosis': 'run',
  'GET /v1/runs/:id/legs/:leg/advice': 'read',
};

/** @returns undefined for a route that nobody thought of: closed */
export function accessOf(method: string, url: string): Access | undefined {
  const key = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  return Object.hasOwn(ROUTE_ACCESS, key) ? ROUTE_ACCESS[key] : undefined;
}
