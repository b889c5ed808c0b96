import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { makeCa } from '@plumbline/probe-rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeControlPlane, plumb } from './in-process.js';

let server: Server;
let port: number;
beforeAll(async () => {
  const { certificate, key } = await makeCa();
  server = createServer({ cert: certificate, key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const env = { PLUMBLINE_TOKEN: 'a-token' };

test('a port that speaks TLS, spoken to in http, is told from one where nothing listens', async () => {
  const { code, err } = await plumb(['site', 'list', '--server', `http://127.0.0.1:${port}`], { env });
  expect(code).toBe(1);
  expect(err).toContain('answers, but not in http');
  expect(err).toContain(`Next: try --server https://127.0.0.1:${port}`);
  expect(err).not.toContain('nothing answers');
});

test('a port that speaks http, spoken to in https', async () => {
  const plane = await fakeControlPlane(() => ({ body: { items: [] } }));
  const { err } = await plumb(['site', 'list', '--server', plane.url.replace('http:', 'https:')], { env });
  await plane.close();
  expect(err).toContain('answers, but not in https');
});

test('a token never goes to another host in http, also not that of an enrolment', async () => {
  for (const words of [
    ['site', 'list', '--server', 'http://plumb.invalid:7420'],
    ['probe', 'enrol', '--server', 'http://plumb.invalid:7420', '--token-file', 'gone', '--data-dir', 'gone'],
  ]) {
    const { code, err } = await plumb(words, { env });
    expect(code).toBe(2);
    expect(err).toContain('in the clear');
    expect(err).toContain('--plain-http');
  }
});
