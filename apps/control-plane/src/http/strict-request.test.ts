import 'reflect-metadata';
import { Body, Controller, type ExecutionContext, Post, Query } from '@nestjs/common';
import { ProblemError } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { StrictRequest } from './strict-request.js';

@Controller()
class Routes {
  @Post('a')
  nothing(): void {}
  @Post('b')
  both(@Query() _query: unknown, @Body() _body: unknown): void {}
}

/** What is refused of a request to a route; the empty list: nothing. */
function pointers(route: 'nothing' | 'both', request: { method?: string; query?: unknown; body?: unknown }): string[] {
  const context = {
    getClass: () => Routes,
    getHandler: () => Routes.prototype[route],
    switchToHttp: () => ({ getRequest: () => ({ method: 'POST', query: {}, ...request }) }),
  } as unknown as ExecutionContext;
  try {
    expect(new StrictRequest().canActivate(context)).toBe(true);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.code).toBe('invalid-request');
    return (error.errors ?? []).map(({ pointer }) => pointer);
  }
}

describe('a route that takes neither query nor body', () => {
  test('refuses what is sent all the same, each by its name', () => {
    expect(pointers('nothing', { query: { dryRun: '1' } })).toEqual(['#/query/dryRun']);
    expect(pointers('nothing', { body: { foo: 1, 'a/b': 2 } })).toEqual(['/foo', '/a~1b']);
    expect(pointers('nothing', { method: 'DELETE', query: { a: '1' }, body: [1] })).toEqual(['#/query/a', '']);
  });
  test('takes nothing, and an empty object for nothing', () => {
    expect(pointers('nothing', {})).toEqual([]);
    expect(pointers('nothing', { body: null })).toEqual([]);
    expect(pointers('nothing', { body: {} })).toEqual([]);
  });
});

test('a route that takes a part has a schema for it, and a GET is judged by its own', () => {
  expect(pointers('both', { query: { a: '1' }, body: { b: 1 } })).toEqual([]);
  expect(pointers('nothing', { method: 'GET', query: { a: '1' } })).toEqual([]);
});
