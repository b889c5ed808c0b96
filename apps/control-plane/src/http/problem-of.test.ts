import { HttpException } from '@nestjs/common';
import { PROBLEM_BASE, ProblemError } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { problemOf } from './problem-of.js';

const fastify = (code: string, statusCode: number) => Object.assign(new Error('internal words'), { code, statusCode });
const coded = (code: string) => Object.assign(new Error('connect failed to secret-host'), { code });

describe('an error becomes', () => {
  test('the problem that it is', () => {
    const error = new ProblemError('in-use', 'Still used.', [{ detail: 'd', pointer: '/a' }], { 'x-y': 'z' });
    expect(problemOf(error, 'urn:uuid:1')).toEqual({
      problem: {
        type: `${PROBLEM_BASE}in-use`,
        title: 'Something else still needs this',
        status: 409,
        detail: 'Still used.',
        instance: 'urn:uuid:1',
        errors: [{ detail: 'd', pointer: '/a' }],
      },
      headers: { 'x-y': 'z' },
      unforeseen: false,
    });
  });

  test.each<[string, unknown, number, string]>([
    ['too large a body', fastify('FST_ERR_CTP_BODY_TOO_LARGE', 413), 413, 'body-too-large'],
    ['another media type', fastify('FST_ERR_CTP_INVALID_MEDIA_TYPE', 415), 415, 'unsupported-media-type'],
    ['a bad URL', fastify('FST_ERR_BAD_URL', 400), 400, 'malformed-request'],
    ['anything else that is the caller’s', fastify('FST_ERR_SOMETHING_NEW', 418), 400, 'malformed-request'],
    ['a route that is not there', new HttpException('x', 404), 404, 'not-found'],
    ['a database that refuses', coded('ECONNREFUSED'), 503, 'database-unavailable'],
    ['a database that shuts down', coded('57P01'), 503, 'database-unavailable'],
    ['a pool that is exhausted', coded('P2024'), 503, 'database-unavailable'],
    ['a mistake of ours', new TypeError('x is undefined'), 500, 'internal-error'],
    ['a mistake of Fastify’s', fastify('FST_ERR_FAILED_ERROR_SERIALIZATION', 500), 500, 'internal-error'],
    ['something that is no error', 'boom', 500, 'internal-error'],
  ])('%s', (_what, error, status, code) => {
    const { problem, unforeseen } = problemOf(error, 'urn:uuid:1');
    expect([problem.status, problem.type]).toEqual([status, PROBLEM_BASE + code]);
    expect(unforeseen).toBe(status === 500);
    expect(JSON.stringify(problem)).not.toMatch(/undefined|internal words|secret-host/);
  });

  test('a problem thrown inside a database layer stays what it is', () => {
    expect(problemOf(new ProblemError('not-found', 'x'), '').problem.status).toBe(404);
  });
});
