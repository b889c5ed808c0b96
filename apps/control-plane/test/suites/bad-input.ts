import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import type { CallOptions } from '../stack.js';
import { house } from './house.js';

const put = (rawBody: CallOptions['rawBody'], headers?: Record<string, string>) =>
  house.stack.call('PUT', '/v1/sites/ber', { rawBody, ...(headers ? { headers } : {}) });
const MiB = 1024 * 1024;

describe('a query parameter that the route does not have', () => {
  test.each(['PUT', 'DELETE'] as const)('is refused by %s, which then changes nothing', async (method) => {
    await house.stack.call('PUT', '/v1/sites/ber', { body: { timeZone: 'Etc/UTC' } });
    const body = method === 'PUT' ? { body: { timeZone: 'Europe/Berlin' } } : {};
    const answer = await house.stack.call(method, '/v1/sites/ber?dryRun=1', body);
    expect(said(answer)).toEqual([422, 'invalid-request', '#/query/dryRun']);
    expect((await house.stack.call('GET', '/v1/sites/ber')).body).toMatchObject({ timeZone: 'Etc/UTC' });
  });
});

describe('a body', () => {
  test.each<[string, CallOptions['rawBody'], (string | number)[]]>([
    ['that is not JSON', '{"timeZone":', [400, 'malformed-body']],
    ['that is two values', '{} {}', [400, 'malformed-body']],
    ['with a comment', '{/**/}', [400, 'malformed-body']],
    ['that is not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), [400, 'malformed-body']],
    ['of nothing', '', [422, 'invalid-request', '']],
    ['of null', 'null', [422, 'invalid-request', '']],
    ['of 1 MiB and one byte', ' '.repeat(MiB + 1), [413, 'body-too-large']],
    ['of brackets that never close', '['.repeat(MiB - 1), [400, 'malformed-body']],
    ['nested deeply', `${'['.repeat(300_000)}${']'.repeat(300_000)}`, [422, 'invalid-request', `${'/0'.repeat(33)}`]],
    ['with NUL', '{"timeZone":"Etc/\\u0000UTC"}', [422, 'invalid-request', '/timeZone']],
    [
      'with half a surrogate pair',
      '{"timeZone":"Etc/UTC","labels":{"a":"\\ud800"}}',
      [422, 'invalid-request', '/labels/a'],
    ],
    [
      'with NUL in a key',
      '{"timeZone":"Etc/UTC","labels":{"\\u0000":"a"}}',
      [422, 'invalid-request', '/labels/\u0000'],
    ],
    ['with __proto__', '{"timeZone":"Etc/UTC","__proto__":{"labels":{}}}', [422, 'invalid-request', '/__proto__']],
    [
      'with constructor',
      '{"timeZone":"Etc/UTC","constructor":{"prototype":{}}}',
      [422, 'invalid-request', '/constructor'],
    ],
    ['with a huge number', '{"timeZone":1e999}', [422, 'invalid-request', '/timeZone']],
    [
      'with a huge capacity',
      '{"timeZone":"Etc/UTC","sharedLinks":[{"name":"a","capacity":1e308}]}',
      [422, 'invalid-request', '/sharedLinks/0/capacity', '/sharedLinks/0/capacity'],
    ],
  ])('%s', async (_what, body, expected) => {
    expect(said(await put(body))).toEqual(expected);
  });

  test('of a key that objects have of themselves is kept', async () => {
    const answer = await put('{"timeZone":"Etc/UTC","labels":{"constructor":"x","toString":"y"}}');
    expect(answer.body).toMatchObject({ labels: { constructor: 'x', toString: 'y' } });
  });

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset=latin1', 415],
    ['nonsense', 415],
  ])('as %s', async (type, status) => {
    await put('{"timeZone":"Etc/UTC"}');
    expect((await put('{"timeZone":"Etc/UTC"}', { 'content-type': type })).status).toBe(status);
  });
});

describe('a URL', () => {
  test.each([
    ['/v1/nothing', 404, 'not-found'],
    ['/v1/sites/', 404, 'not-found'],
    ['/v1//sites', 404, 'not-found'],
    ['/v2/sites', 404, 'not-found'],
    ['/v1/sites/%zz', 400, 'malformed-request'],
    ['/v1/sites/%c0%80', 400, 'malformed-request'],
    ['/v1/sites/%00', 404, 'not-found'],
    ['/v1/sites/%ed%a0%80', 400, 'malformed-request'],
    ['/v1/sites/..%2f..%2fetc', 404, 'not-found'],
    [`/v1/sites/${'a'.repeat(6_000)}`, 404, 'not-found'],
    ['/v1/sites/__proto__', 404, 'not-found'],
    ['/v1/sites?pageToken=%00', 422, 'invalid-request'],
    ['/v1/sites?%00=1', 422, 'invalid-request'],
    ['/v1/sites?__proto__=1', 422, 'invalid-request'],
  ])('%s', async (path, status, code) => {
    expect(said(await house.stack.call('GET', path)).slice(0, 2)).toEqual([status, code]);
  });

  test('of a name that cannot be is pointed at when it would be made', async () => {
    for (const name of ['-x', '%00', 'a'.repeat(64), 'a%2Fb', '.'.repeat(3)])
      expect(said(await house.stack.call('PUT', `/v1/sites/${name}`, { body: { timeZone: 'Etc/UTC' } }))).toEqual([
        422,
        'invalid-request',
        '#/path/name',
      ]);
  });

  test('with another method says which there are', async () => {
    const answer = await house.stack.call('PATCH', '/v1/sites/ber', { body: {} });
    expect(said(answer)).toEqual([405, 'method-not-allowed']);
    expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT');
    expect(said(await house.stack.call('DELETE', '/healthz'))).toEqual([405, 'method-not-allowed']);
    expect(said(await house.stack.call('POST', '/v1/nothing', { rawBody: '{' }))).toEqual([404, 'not-found']);
  });
});

/** Sends bytes and reads until the server closes. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(house.stack.url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    socket.setTimeout(8_000, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject).once('close', () => resolve(text));
  });

describe('what is not HTTP', () => {
  test.each([
    ['rubbish', 'rubbish\r\n\r\n', 400],
    ['a method that there is not', 'BREW /v1/sites HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['headers without an end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
    ['two lengths', 'PUT /v1/sites/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', 400],
    [
      'a length and chunks',
      'PUT /v1/sites/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
  ])('%s is answered with a problem', async (_what, bytes, status) => {
    const text = await raw(bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text).toContain('application/problem+json');
  });
});

test('every answer carries its own request id and no header of a browser it need not have', async () => {
  const ids = await Promise.all(
    [1, 2].map(async () =>
      (await house.stack.call('GET', '/v1/sites', { headers: { 'x-request-id': 'mine' } })).headers.get('x-request-id'),
    ),
  );
  expect(new Set([...ids, 'mine']).size).toBe(3);
});
