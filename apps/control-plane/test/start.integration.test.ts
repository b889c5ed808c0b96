import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, startRedis } from '@plumbline/embedded';
import { issueProbeCertificate, makeCa, makeCsr, makeKey } from '@plumbline/probe-rpc';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneOptions, type RunningControlPlane, startControlPlane } from '../src/index.js';
import { backWith, FakeProbes } from './fake-probes.js';
import { said } from './problems.js';
import { withDatabase } from './resources.js';
import { callApi, type Servers, startServers } from './stack.js';

let servers: Servers;
const running: RunningControlPlane[] = [];
beforeAll(async () => {
  servers = await startServers();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});
afterAll(() => servers?.stop());

async function start(more: Partial<ControlPlaneOptions> = {}): Promise<RunningControlPlane> {
  const { databaseUrl, redisUrl, dir } = servers;
  const one = await startControlPlane(
    { databaseUrl, redisUrl, dataDir: dir, host: '127.0.0.1', port: 0, logLevel: 'silent', ...more },
    backWith(new FakeProbes()),
  );
  running.push(one);
  return one;
}
const ready = (one: RunningControlPlane) => callApi(one.url, '', 'GET', '/readyz', { token: null });
async function untilReady(one: RunningControlPlane, status: number): Promise<unknown> {
  const deadline = performance.now() + 20_000;
  let last = await ready(one);
  // Ends at the deadline.
  while (last.status !== status && performance.now() < deadline) {
    await sleep(50);
    last = await ready(one);
  }
  expect(last.status).toBe(status);
  return last.body;
}
const tokenOf = (dir = servers.dir) => readFileSync(join(dir, 'admin.token'), 'utf8').trim();

describe('readiness', () => {
  test('is green when everything is there', async () => {
    const one = await start();
    expect((await ready(one)).body).toEqual({ status: 'ok', version: expect.any(String) });
    expect((await callApi(one.url, '', 'GET', '/healthz', { token: null })).status).toBe(200);
  });

  test('names Redis while it is away, and Postgres routes still answer', async () => {
    const one = await start();
    await servers.redis.stop();
    const body = await untilReady(one, 503);
    expect(said({ status: 503, body })).toEqual([503, 'not-ready', '#/redis']);
    expect((await callApi(one.url, tokenOf(), 'GET', '/v1/sites')).status).toBe(200);
    servers = { ...servers, redis: await startRedis({ dir: servers.dir }) };
    await untilReady(one, 200);
  });

  test('names migrations that are missing', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
    const empty = await startPostgres({ dir });
    try {
      const one = await start({ databaseUrl: empty.url, dataDir: dir });
      expect(said(await ready(one))).toEqual([503, 'not-ready', '#/admin-token', '#/migrations']);
    } finally {
      await Promise.all(running.splice(0).map((one) => one.stop()));
      await empty.stop();
      rmSync(dir, { recursive: true, force: true });
    }
  });
});

describe('Postgres away', () => {
  test('is 503 quickly, with a hint when to come back; back again, all is well', async () => {
    const one = await start();
    const token = tokenOf();
    await servers.postgres.stop();
    const before = performance.now();
    const answers = await Promise.all(
      [
        ['GET', '/v1/sites'],
        ['PUT', '/v1/sites/a'],
        ['POST', '/v1/runs'],
        ['GET', '/metrics'],
      ].map(([method = '', path = '']) => callApi(one.url, token, method, path, method === 'GET' ? {} : { body: {} })),
    );
    expect(performance.now() - before).toBeLessThan(10_000);
    for (const answer of answers) {
      expect(said(answer)).toEqual([503, 'database-unavailable']);
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect(said(await ready(one))).toEqual([503, 'not-ready', '#/postgres']);
    servers = { ...servers, postgres: await startPostgres({ dir: servers.dir }) };
    await untilReady(one, 200);
    expect((await callApi(one.url, token, 'GET', '/v1/sites')).status).toBe(200);
  });

  test('that accepts and says nothing is 503 too', async () => {
    const one = await start();
    const answer = await withDatabase(servers.databaseUrl, async (db) => {
      await db.query('BEGIN; LOCK TABLE access_token IN ACCESS EXCLUSIVE MODE');
      return callApi(one.url, tokenOf(), 'GET', '/v1/sites');
    });
    expect(said(answer)).toEqual([503, 'database-unavailable']);
    expect((await callApi(one.url, tokenOf(), 'GET', '/v1/sites')).status).toBe(200);
  });

  test('at the start is waited for: the token works once it is there', async () => {
    await servers.postgres.stop();
    const dataDir = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
    try {
      const one = await start({ dataDir });
      expect((await ready(one)).status).toBe(503);
      servers = { ...servers, postgres: await startPostgres({ dir: servers.dir }) };
      await untilReady(one, 200);
      expect((await callApi(one.url, tokenOf(dataDir), 'GET', '/v1/sites')).status).toBe(200);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('what does not start', () => {
  test('says why in a sentence', async () => {
    await expect(start({ host: '0.0.0.0' })).rejects.toThrow(
      /would send tokens in the clear.*--tls-cert.*--behind-proxy/,
    );
    await expect(start({ host: 'example.org' })).rejects.toThrow(/in the clear/);
    await expect(start({ host: '192.0.2.55', behindProxy: true })).rejects.toThrow(/no address 192\.0\.2\.55/);
    await expect(start({ tls: { cert: '/nowhere.pem', key: '/nowhere.key' } })).rejects.toThrow(
      /certificate \/nowhere\.pem cannot be read/,
    );
  });

  test('a port that is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(start({ port })).rejects.toThrow(new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken`));
    await new Promise((resolve) => taken.close(resolve));
  });

  test('a data folder whose files are something else', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
    writeFileSync(join(dataDir, 'admin.token'), 'hello\n');
    await expect(start({ dataDir })).rejects.toThrow(/admin\.token does not hold a Plumbline token/);
    for (const file of ['admin.token', 'ca/ca.pem', 'ca/ca.key']) rmSync(join(dataDir, file));
    await expect(start({ dataDir })).rejects.toThrow(/does not hold a certificate authority/);
    rmSync(dataDir, { recursive: true, force: true });
  });
});

describe('the data folder', () => {
  test('holds a token, a CA and a place for probes, all private, and keeps them', async () => {
    const top = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
    const dataDir = join(top, 'deep', 'er');
    await start({ dataDir });
    const mode = (...path: string[]) => statSync(join(dataDir, ...path)).mode & 0o777;
    expect([mode(), mode('probes'), mode('ca'), mode('admin.token'), mode('ca', 'ca.key')]).toEqual([
      0o700, 0o700, 0o700, 0o600, 0o600,
    ]);
    const before = [tokenOf(dataDir), readFileSync(join(dataDir, 'ca', 'ca.pem'), 'utf8')];
    chmodSync(join(dataDir, 'admin.token'), 0o644);
    const two = await Promise.all([start({ dataDir }), start({ dataDir })]);
    expect([tokenOf(dataDir), readFileSync(join(dataDir, 'ca', 'ca.pem'), 'utf8')]).toEqual(before);
    expect(mode('admin.token')).toBe(0o600);
    for (const one of two) expect((await callApi(one.url, tokenOf(dataDir), 'GET', '/v1/sites')).status).toBe(200);
    rmSync(top, { recursive: true, force: true });
  });

  test('of two that start at once is one folder', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
    const two = await Promise.all([start({ dataDir }), start({ dataDir }), start({ dataDir })]);
    for (const one of two) expect((await callApi(one.url, tokenOf(dataDir), 'GET', '/v1/sites')).status).toBe(200);
    rmSync(dataDir, { recursive: true, force: true });
  });
});

test('with a certificate it serves TLS, and says that nothing else should be used', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
  const ca = await makeCa();
  const key = makeKey();
  const { certificate } = await issueProbeCertificate(ca, await makeCsr('web', key), 'web');
  writeFileSync(join(dir, 'cert.pem'), certificate);
  writeFileSync(join(dir, 'key.pem'), key);
  const one = await start({ host: '0.0.0.0', tls: { cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') } });
  const answer = await new Promise<{ status?: number; hsts?: string | string[] }>((resolve, reject) => {
    request(
      { host: '127.0.0.1', port: one.port, path: '/healthz', ca: ca.certificate, servername: 'web.probe.plumbline' },
      (response) => {
        response.resume();
        resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
      },
    )
      .once('error', reject)
      .end();
  });
  expect(one.url).toMatch(/^https:/);
  expect(answer).toEqual({ status: 200, hsts: expect.stringContaining('max-age') });
  rmSync(dir, { recursive: true, force: true });
});

test('stopping waits for a request under way, not for an idle connection', async () => {
  const one = await start();
  await Promise.all([1, 2, 3].map(() => callApi(one.url, tokenOf(), 'GET', '/v1/sites')));
  const before = performance.now();
  await Promise.all([one.stop(), one.stop()]);
  expect(performance.now() - before).toBeLessThan(5_000);
  await expect(callApi(one.url, tokenOf(), 'GET', '/healthz')).rejects.toThrow();
});

test('what Prometheus scrapes has states, durations and no endless labels', async () => {
  const one = await start();
  await callApi(one.url, tokenOf(), 'GET', '/v1/sites/some-name');
  await callApi(one.url, tokenOf(), 'GET', '/v1/nothing/at-all');
  const { text } = await callApi(one.url, tokenOf(), 'GET', '/metrics');
  for (const line of [
    'plumbline_runs{state="queued"} 0',
    'plumbline_legs{state="running"} 0',
    'plumbline_queue_depth 0',
    'plumbline_probes{state="up"} 0',
  ])
    expect(text).toContain(line);
  expect(text).toMatch(
    /plumbline_http_request_duration_seconds_count\{method="GET",route="\/v1\/sites\/:name",status="404"\} 1/,
  );
  expect(text).not.toMatch(/some-name|at-all/);
});
