import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessOf } from '../src/access/route-scopes.js';
import { Scope } from '../src/access/scopes.js';
import { makeToken } from '../src/access/token-format.js';
import { Contract } from './contract.js';
import { backWith, FakeProbes } from './fake-probes.js';
import { addToken, withDatabase } from './resources.js';
import { callApi, type Stack, startStack } from './stack.js';

let stack: Stack;
let operations: { method: string; path: string; pattern: string }[];
beforeAll(async () => {
  stack = await startStack({ back: backWith(new FakeProbes()) });
  operations = new Contract((await stack.call('GET', '/openapi.json', { token: null })).body).operations.map((text) => {
    const [method = '', template = ''] = text.split(' ');
    const path = template
      .replace(/\{(id)\}/, '0190a0a0-0000-7000-8000-000000000000')
      .replace(/\{(leg|step|attempt)\}/g, '0')
      .replace(/\{\w+\}/g, 'nothing');
    return { method, path, pattern: template.replace(/\{(\w+)\}/g, ':$1') };
  });
});
afterAll(() => stack?.stop());

/** Whether the gate let the request through, whatever came of it then. */
const outcome = (status: number): 'admitted' | '401' | '403' =>
  status === 401 ? '401' : status === 403 ? '403' : 'admitted';

describe('every route of the OpenAPI document', () => {
  test('is in the table of access', () => {
    expect(operations.length).toBeGreaterThan(30);
    expect(operations.filter(({ method, pattern }) => accessOf(method, pattern) === undefined)).toEqual([]);
  });

  test('opens to each scope as the table says, and to nobody else', async () => {
    const tokens = new Map<string, string | null>([
      ['none', null],
      ['unknown', makeToken()],
      ['mistyped', `${makeToken().slice(0, -1)}!`],
      ['cut', makeToken().slice(0, -3)],
      ['expired', await addToken(stack.databaseUrl, ['admin'], { expiresAt: new Date(Date.now() - 1_000) })],
      ['revoked', await addToken(stack.databaseUrl, ['admin'], { revokedAt: new Date() })],
      ['no scope', await addToken(stack.databaseUrl, [])],
    ]);
    for (const scope of Scope.options) tokens.set(scope, await addToken(stack.databaseUrl, [scope]));
    const wrong: string[] = [];
    for (const { method, path, pattern } of operations) {
      const access = accessOf(method, pattern);
      for (const [who, token] of tokens) {
        const { status } = await stack.call(method, path, { token, ...(method === 'GET' ? {} : { body: {} }) });
        const expected = expectedFor(access, who);
        // What such a route itself says to somebody without its one-time token is 401 or 422.
        const got = access === 'self' ? outcome(status === 401 ? 200 : status) : outcome(status);
        if (got !== expected) wrong.push(`${method} ${path} as ${who}: ${status}, expected ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

function expectedFor(access: ReturnType<typeof accessOf>, who: string): 'admitted' | '401' | '403' {
  if (access === 'public' || access === 'self') return 'admitted';
  if (['none', 'unknown', 'mistyped', 'cut', 'expired', 'revoked'].includes(who)) return '401';
  return who === access || who === 'admin' ? 'admitted' : '403';
}

describe('a refusal', () => {
  test('says how to authenticate, and never repeats the token', async () => {
    const nobody = await stack.call('GET', '/v1/sites', { token: null });
    expect(nobody.headers.get('www-authenticate')).toBe('Bearer realm="plumbline"');
    const token = makeToken();
    const unknown = await stack.call('GET', '/v1/sites', { token });
    expect(unknown.status).toBe(401);
    expect(unknown.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(unknown.text).not.toContain(token.slice(4, 20));
  });

  test('names the scope that is missing', async () => {
    const token = await addToken(stack.databaseUrl, ['read']);
    const answer = await stack.call('PUT', '/v1/sites/a', { token, body: { timeZone: 'Etc/UTC' } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="admin"');
    expect(answer.body).toMatchObject({ type: expect.stringMatching(/\/insufficient-scope$/), status: 403 });
  });

  test('comes before the body is read', async () => {
    const answer = await stack.call('PUT', '/v1/sites/a', { token: null, rawBody: '{' });
    expect(answer.status).toBe(401);
  });

  test('a token in the URL is no token', async () => {
    expect((await stack.call('GET', `/v1/sites?access_token=${stack.token}`, { token: null })).status).toBe(401);
  });
});

describe('the admin token', () => {
  test('is a private file whose text is not in the database', async () => {
    const file = join(stack.dataDir, 'admin.token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const rows = await withDatabase(stack.databaseUrl, (client) => client.query('SELECT * FROM access_token'));
    expect(JSON.stringify(rows.rows)).not.toContain(stack.token.slice(8));
  });

  test('is told to a database that does not know it', async () => {
    await withDatabase(stack.databaseUrl, (client) => client.query('DELETE FROM access_token'));
    expect((await stack.call('GET', '/v1/sites')).status).toBe(401);
    const other = await stack.another();
    expect((await callApi(other.url, stack.token, 'GET', '/v1/sites')).status).toBe(200);
    expect(readFileSync(join(stack.dataDir, 'admin.token'), 'utf8').trim()).toBe(stack.token);
  });

  test('removed, is replaced, and the old one is worth nothing', async () => {
    rmSync(join(stack.dataDir, 'admin.token'));
    const other = await stack.another();
    const token = readFileSync(join(stack.dataDir, 'admin.token'), 'utf8').trim();
    expect(token).not.toBe(stack.token);
    expect((await callApi(other.url, token, 'GET', '/v1/sites')).status).toBe(200);
    expect((await callApi(other.url, stack.token, 'GET', '/v1/sites')).status).toBe(401);
  });
});
