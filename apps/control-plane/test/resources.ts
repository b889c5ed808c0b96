import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { makeToken, tokenHash, tokenPrefix } from '../src/access/token-format.js';
import type { FakeProbes } from './fake-probes.js';
import type { Stack } from './stack.js';

/** A token with those scopes, put straight into the database. */
export async function addToken(
  databaseUrl: string,
  scopes: readonly string[],
  more: { expiresAt?: Date; revokedAt?: Date } = {},
): Promise<string> {
  const token = makeToken();
  await withDatabase(databaseUrl, (client) =>
    client.query(
      'INSERT INTO access_token (id, name, hash, prefix, scopes, expires_at, revoked_at) VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, $6)',
      ['test', tokenHash(token), tokenPrefix(token), scopes, more.expiresAt ?? null, more.revokedAt ?? null],
    ),
  );
  return token;
}

export async function withDatabase<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export interface Pair {
  readonly site: string;
  readonly near: string;
  readonly far: string;
  readonly path: string;
}

/** A site with two fake probes and a path between them; names are new each time. */
export async function addPair(
  stack: Stack,
  probes: FakeProbes,
  more: { path?: object; site?: object } = {},
): Promise<Pair> {
  const tag = randomBytes(4).toString('hex');
  const pair = { site: `site-${tag}`, near: `near-${tag}`, far: `far-${tag}`, path: `path-${tag}` };
  await must(stack, 'PUT', `/v1/sites/${pair.site}`, { timeZone: 'Etc/UTC', ...more.site });
  for (const [name, last] of [
    [pair.near, 1],
    [pair.far, 2],
  ] as const) {
    const address = `192.0.2.${last}:${1024 + (randomBytes(2).readUInt16BE() % 60_000)}`;
    const endpoints = [{ name: 'test', address: `192.0.2.${last}` }];
    probes.add(name, pair.site, address, endpoints);
    await must(stack, 'POST', '/v1/probes', { name, site: pair.site, address, endpoints });
  }
  await must(stack, 'PUT', `/v1/paths/${pair.path}`, {
    source: { probe: pair.near, endpoint: 'test' },
    destination: { probe: pair.far, endpoint: 'test' },
    ...more.path,
  });
  return pair;
}

/** @throws {Error} with the answer when it is no success */
export async function must(
  stack: Stack,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await stack.call(method, path, { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return typeof answer.body === 'object' && answer.body !== null ? { ...answer.body } : {};
}
