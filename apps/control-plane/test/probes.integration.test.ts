import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@plumbline/model';
import { certificateSha256, makeCsr, makeKey, probeCertificateProblem, signCsr } from '@plumbline/probe-rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { backWith, FakeProbes } from './fake-probes.js';
import { said } from './problems.js';
import { addPair, addToken, must, withDatabase } from './resources.js';
import { type Stack, startStack } from './stack.js';

const probes = new FakeProbes();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ back: backWith(probes) });
  await must(stack, 'PUT', '/v1/sites/ber', { timeZone: 'Etc/UTC' });
  await must(stack, 'PUT', '/v1/sites/par', { timeZone: 'Etc/UTC' });
});
afterAll(() => stack?.stop());

const endpoints = [
  { name: 'test', address: '192.0.2.1', interface: 'eth1' },
  { name: 'other', address: '192.0.2.9' },
];
const input = { name: 'one', site: 'ber', address: '192.0.2.1:7430', endpoints: [{ name: 'test', address: '192.0.2.1' }] };

describe('registering a probe', () => {
  beforeAll(() => probes.add('one', 'ber', '192.0.2.1:7430', endpoints));

  test("asks it, and keeps the probe's own facts", async () => {
    const answer = await stack.call('POST', '/v1/probes', { body: input });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe('/v1/probes/one');
    expect(answer.body).toMatchObject({
      name: 'one',
      state: 'up',
      version: '0.1.0',
      endpoints: [endpoints[0]],
      tools: { iperf3: '3.12', ss: null },
      congestionControls: ['reno', 'cubic'],
      clockOffsetMs: 1.5,
      enrolled: false,
      certificateNotAfter: null,
    });
    expect((await stack.call('GET', '/v1/probes/one')).body).toEqual(answer.body);
    expect(said(await stack.call('POST', '/v1/probes', { body: input }))).toEqual([409, 'conflict']);
  });

  test.each([
    ['no such site', { ...input, name: 'two', site: 'nowhere' }, [422, 'invalid-request', '/site']],
    ['another address', { ...input, name: 'two', address: '192.0.2.77:1' }, [422, 'probe-unreachable', '/address']],
    ['a host name as endpoint', { ...input, endpoints: [{ name: 'test', address: 'example.org' }] }, [422, 'invalid-request', '/endpoints/0/address']],
    ['an interface that is an option', { ...input, endpoints: [{ name: 'test', address: '192.0.2.1', interface: '-i' }] }, [422, 'invalid-request', '/endpoints/0/interface']],
    ['an address without a port', { ...input, address: '192.0.2.1' }, [422, 'invalid-request', '/address']],
    ['a relative socket', { ...input, address: 'unix:probe.sock' }, [422, 'invalid-request', '/address']],
    ['an endpoint twice', { ...input, endpoints: [input.endpoints[0], input.endpoints[0]] }, [422, 'invalid-request', '/endpoints/1/name']],
    ['no endpoints', { ...input, endpoints: [] }, [422, 'invalid-request', '/endpoints']],
    ['an unknown field', { ...input, port: 1 }, [422, 'invalid-request', '/port']],
  ])('with %s is refused', async (_what, body, expected) => {
    expect(said(await stack.call('POST', '/v1/probes', { body }))).toEqual(expected);
  });

  test('that says something else is refused, field by field', async () => {
    probes.add('three', 'par', '192.0.2.3:7430', endpoints);
    const three = { ...input, name: 'three', site: 'par', address: '192.0.2.3:7430' };
    const ask = async (more: object) => said(await stack.call('POST', '/v1/probes', { body: { ...three, ...more } }));
    expect(await ask({ site: 'ber' })).toEqual([422, 'probe-identity-mismatch', '/site']);
    expect(await ask({ name: 'four' })).toEqual([422, 'probe-identity-mismatch', '/address']);
    const wrong = [
      { name: 'test', address: '192.0.2.2' },
      { name: 'none', address: '192.0.2.1' },
      { name: 'other', address: '192.0.2.9', interface: 'eth9' },
    ];
    expect(await ask({ endpoints: wrong })).toEqual([
      422,
      'endpoint-mismatch',
      '/endpoints/0/address',
      '/endpoints/1/name',
      '/endpoints/2/interface',
    ]);
    expect((await stack.call('GET', '/v1/probes/three')).status).toBe(404);
  });

  test('that is too old, or fails in ways of its own, is refused', async () => {
    probes.reports.set('192.0.2.5:1', new ProblemError('probe-incompatible', 'install 0.1.0'));
    probes.reports.set('192.0.2.6:1', new ProblemError('internal-error', 'it speaks HTTP'));
    const ask = (address: string) => stack.call('POST', '/v1/probes', { body: { ...input, name: 'five', address } });
    expect(said(await ask('192.0.2.5:1'))).toEqual([422, 'probe-incompatible', '/address']);
    expect(said(await ask('192.0.2.6:1'))).toEqual([422, 'probe-unreachable', '/address']);
  });

  test('by many at once happens once', async () => {
    probes.add('rush', 'ber', '192.0.2.8:1', endpoints);
    const body = { ...input, name: 'rush', address: '192.0.2.8:1' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => stack.call('POST', '/v1/probes', { body })));
    expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409, 409, 409]);
  });
});

describe('a unix: address', () => {
  test('outside D/probes needs an administrator', async () => {
    const token = await addToken(stack.databaseUrl, ['probe:enrol']);
    const inside = `unix:${join(stack.dataDir, 'probes', 'in.sock')}`;
    symlinkSync('/tmp', join(stack.dataDir, 'probes', 'escape'));
    const escape = `unix:${join(stack.dataDir, 'probes', 'escape', 'x.sock')}`;
    for (const address of [inside, escape, 'unix:/tmp/out.sock']) probes.add(`u${address.length}`, 'ber', address, endpoints);
    const ask = (address: string, as?: string) =>
      stack.call('POST', '/v1/probes', { body: { ...input, name: `u${address.length}`, address }, token: as });
    expect(said(await ask('unix:/tmp/out.sock', token))).toEqual([403, 'insufficient-scope', '/address']);
    expect(said(await ask(escape, token))).toEqual([403, 'insufficient-scope', '/address']);
    expect((await ask(inside, token)).status).toBe(201);
    expect((await ask('unix:/tmp/out.sock')).status).toBe(201);
  });
});

describe('a registered probe', () => {
  test('is changed after it was asked again', async () => {
    const { far, site } = await addPair(stack, probes);
    probes.add(far, site, '192.0.2.99:7430', [{ name: 'test', address: '192.0.2.99' }]);
    const change = (body: object) => stack.call('PATCH', `/v1/probes/${far}`, { body });
    expect(said(await change({ address: '192.0.2.99:7430' }))).toEqual([422, 'endpoint-mismatch', '/endpoints/0/address']);
    const changed = await change({ address: '192.0.2.99:7430', endpoints: [{ name: 'test', address: '192.0.2.99' }] });
    expect([changed.status, changed.body]).toMatchObject([200, { endpoints: [{ name: 'test', address: '192.0.2.99' }] }]);
    expect(said(await change({ site: 'nowhere' }))).toEqual([422, 'invalid-request', '/site']);
    expect(said(await change({ name: 'other' }))).toEqual([422, 'invalid-request', '/name']);
    expect(said(await stack.call('PATCH', '/v1/probes/nobody', { body: {} }))).toEqual([404, 'not-found']);
  });

  test('keeps an endpoint that a path needs', async () => {
    const { near, site, path } = await addPair(stack, probes);
    probes.add(near, site, '192.0.2.98:7430', [{ name: 'new', address: '192.0.2.98' }]);
    const body = { address: '192.0.2.98:7430', endpoints: [{ name: 'new', address: '192.0.2.98' }] };
    const answer = await stack.call('PATCH', `/v1/probes/${near}`, { body });
    expect(said(answer)).toEqual([409, 'in-use']);
    expect(answer.text).toContain(path);
  });

  test('is deleted when no path needs it', async () => {
    const { near, path } = await addPair(stack, probes);
    const answer = await stack.call('DELETE', `/v1/probes/${near}`);
    expect(said(answer)).toEqual([409, 'in-use']);
    expect(answer.text).toContain(path);
    await must(stack, 'DELETE', `/v1/paths/${path}`);
    expect((await stack.call('DELETE', `/v1/probes/${near}`)).status).toBe(204);
    expect(said(await stack.call('DELETE', `/v1/probes/${near}`))).toEqual([404, 'not-found']);
  });

  test('shows its facts', async () => {
    const { near } = await addPair(stack, probes);
    const snapshot = await must(stack, 'GET', `/v1/probes/${near}/snapshot?endpoint=test&peerAddress=192.0.2.2`);
    expect(snapshot).toMatchObject({ kernel: '6.1.0', unknown: { qdisc: 'not asked' } });
    const ask = (query: string) => stack.call('GET', `/v1/probes/${near}/snapshot?${query}`);
    expect(said(await ask('endpoint=x'))).toEqual([422, 'invalid-request', '#/query/endpoint']);
    expect(said(await ask('peerAddress=example.org'))).toEqual([422, 'invalid-request', '#/query/peerAddress']);
    expect(said(await stack.call('GET', '/v1/probes/nobody/snapshot'))).toEqual([404, 'not-found']);
  });
});

describe('enrolment', () => {
  const Token = z.object({ token: z.string(), expiresAt: z.iso.datetime(), caSha256: z.string() });
  const Issued = z.object({ certificate: z.string(), ca: z.string(), notAfter: z.iso.datetime() });
  const invite = async (name: string) => Token.parse(await must(stack, 'POST', `/v1/probes/${name}/enrolment`));
  const enrol = (token: string, csr: string) => stack.call('POST', '/v1/enrolments', { token, body: { csr } });

  test('gives a certificate for a token, once', async () => {
    const { token, caSha256, expiresAt } = await invite('edge.1');
    expect(token).toMatch(new RegExp(`^plbe_[A-Za-z0-9_-]{20,}\\.${caSha256}\\.edge\\.1$`));
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(14);
    expect(minutes).toBeLessThanOrEqual(15);
    const csr = await makeCsr('edge.1', makeKey());
    const answer = await enrol(token, csr);
    expect(answer.status).toBe(201);
    const issued = Issued.parse(answer.body);
    expect(certificateSha256(issued.ca)).toBe(caSha256);
    expect(probeCertificateProblem(issued.certificate, issued.ca, 'edge.1', new Date())).toBeUndefined();
    expect(said(await enrol(token, csr))).toEqual([401, 'enrolment-token-invalid']);
  });

  test('of two that come at once with one token, one gets in', async () => {
    const { token } = await invite('twin');
    const csrs = await Promise.all([1, 2, 3].map(() => makeCsr('twin', makeKey())));
    const answers = await Promise.all(csrs.map((csr) => enrol(token, csr)));
    expect(answers.map((a) => a.status).sort()).toEqual([201, 401, 401]);
  });

  test('a request that is none, or of another name, is refused and leaves the token good', async () => {
    const { token } = await invite('careful');
    expect(said(await enrol(token, 'no request'))).toEqual([422, 'invalid-request', '/csr']);
    expect(said(await enrol(token, await makeCsr('other', makeKey())))).toEqual([422, 'invalid-request', '/csr']);
    const good = await makeCsr('careful', makeKey());
    expect(said(await enrol(token, tampered(good)))).toEqual([422, 'invalid-request', '/csr']);
    expect((await enrol(token, good)).status).toBe(201);
  });

  test('a token that is old, changed, unknown or an access token is refused', async () => {
    const { token } = await invite('late');
    const csr = await makeCsr('late', makeKey());
    const code = [401, 'enrolment-token-invalid'];
    expect(said(await enrol(token.replace(/late$/, 'edge'), csr))).toEqual(code);
    expect(said(await enrol(`plbe_${'x'.repeat(32)}.${'a'.repeat(64)}.late`, csr))).toEqual(code);
    expect(said(await enrol(stack.token, csr))).toEqual(code);
    expect(said(await stack.call('POST', '/v1/enrolments', { token: null, body: { csr } }))).toEqual(code);
    await withDatabase(stack.databaseUrl, (db) => db.query("UPDATE enrolment_token SET expires_at = now() WHERE probe = 'late'"));
    expect(said(await enrol(token, csr))).toEqual(code);
  });

  test('is shown at the probe that registers afterwards, and ends with it', async () => {
    const key = makeKey();
    const issued = Issued.parse((await enrol((await invite('tcp')).token, await makeCsr('tcp', key))).body);
    probes.add('tcp', 'ber', '192.0.2.44:7430', endpoints);
    probes.asked = [];
    const probe = await must(stack, 'POST', '/v1/probes', { ...input, name: 'tcp', address: '192.0.2.44:7430' });
    expect(probes.asked[0]).toMatchObject({ enrolled: true });
    expect(probe.certificateNotAfter).toBe(issued.notAfter);

    const renew = async (name: string, certificate = issued.certificate, signedBy = key) => {
      const csr = await makeCsr(name, makeKey());
      return stack.call('POST', '/v1/enrolments/renewal', { token: null, body: { csr, certificate, signature: signCsr(csr, signedBy) } });
    };
    const renewed = await renew('tcp');
    expect(renewed.status).toBe(201);
    expect(Issued.parse(renewed.body).certificate).not.toBe(issued.certificate);
    expect(said(await renew('other'))).toEqual([422, 'invalid-request', '/csr']);
    expect(said(await renew('tcp', issued.certificate, makeKey()))).toEqual([401, 'unauthorized']);
    expect(said(await renew('tcp', issued.ca))).toEqual([401, 'unauthorized']);
    await must(stack, 'DELETE', '/v1/probes/tcp');
    expect(said(await renew('tcp'))).toEqual([401, 'unauthorized']);
  });
});

/** The same request with one bit of its signature changed. */
function tampered(pem: string): string {
  const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
  der.writeUInt8(der.readUInt8(der.length - 3) ^ 1, der.length - 3);
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}
