import { describe, expect, test } from 'vitest';
import { describePreview } from '../app.js';
import { accessOf, ROUTE_ACCESS } from './route-scopes.js';
import { permits, Scope } from './scopes.js';

describe('the table of access', () => {
  test('has every route of the OpenAPI document, and no other', async () => {
    const { paths } = await describePreview();
    const routes = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(routes.sort()).toEqual(Object.keys(ROUTE_ACCESS).sort());
  });

  test('closes what it does not have', () => {
    expect(accessOf('GET', '/v1/nothing')).toBeUndefined();
    expect(accessOf('PATCH', '/v1/sites/:name')).toBeUndefined();
    expect(accessOf('constructor', '')).toBeUndefined();
    expect(accessOf('HEAD', '/v1/sites')).toBe('read');
  });

  test('opens only health and the document to everybody', () => {
    const open = Object.entries(ROUTE_ACCESS).filter(([, access]) => access === 'public' || access === 'self');
    expect(open.map(([route]) => route)).toEqual([
      'GET /healthz',
      'GET /readyz',
      'GET /openapi.json',
      'POST /v1/enrolments',
      'POST /v1/enrolments/renewal',
    ]);
  });
});

test('admin may do all, each other scope itself only', () => {
  for (const wanted of Scope.options)
    expect(Scope.options.filter((one) => permits([one], wanted))).toEqual(
      Scope.options.filter((one) => one === wanted || one === 'admin'),
    );
});
