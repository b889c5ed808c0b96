import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  certificateSha256,
  issueProbeCertificate,
  makeCsr,
  makeKey,
  probeCertificateProblem,
  signCsr,
} from '@plumbline/probe-rpc';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { said } from '../problems.js';
import { must, withDatabase } from '../resources.js';
import { house } from './house.js';

describe('enrolling', () => {
  beforeAll(async () => {
    await must(house.stack, 'PUT', '/v1/sites/ber', { timeZone: 'Etc/UTC' });
    await must(house.stack, 'PUT', '/v1/sites/par', { timeZone: 'Etc/UTC' });
  });

  const endpoints = [
    { name: 'test', address: '192.0.2.1', interface: 'eth1' },
    { name: 'other', address: '192.0.2.9' },
  ];
  const input = {
    name: 'one',
    site: 'ber',
    address: '192.0.2.1:7430',
    endpoints: [{ name: 'test', address: '192.0.2.1' }],
  };

  describe('enrolment', () => {
    const Token = z.object({ token: z.string(), expiresAt: z.iso.datetime(), caSha256: z.string() });
    const Issued = z.object({ certificate: z.string(), ca: z.string(), notAfter: z.iso.datetime() });
    const invite = async (name: string) => Token.parse(await must(house.stack, 'POST', `/v1/probes/${name}/enrolment`));
    const enrol = (token: string, csr: string) => house.stack.call('POST', '/v1/enrolments', { token, body: { csr } });

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

    test('takes no fields, and its token is judged before the body', async () => {
      const asked = await house.stack.call('POST', '/v1/probes/edge.1/enrolment', { body: { foo: 1 } });
      expect(said(asked)).toEqual([422, 'invalid-request', '/foo']);
      const strange = await house.stack.call('POST', '/v1/enrolments', { token: 'nonsense', body: { foo: 1 } });
      expect(said(strange)).toEqual([401, 'enrolment-token-invalid']);
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
      expect(said(await enrol(house.stack.token, csr))).toEqual(code);
      expect(said(await house.stack.call('POST', '/v1/enrolments', { token: null, body: { csr } }))).toEqual(code);
      await withDatabase(house.stack.databaseUrl, (db) =>
        db.query("UPDATE enrolment_token SET expires_at = now() WHERE probe = 'late'"),
      );
      expect(said(await enrol(token, csr))).toEqual(code);
    });

    test('is shown at the probe that registers afterwards, and ends with it', async () => {
      const key = makeKey();
      const issued = Issued.parse((await enrol((await invite('tcp')).token, await makeCsr('tcp', key))).body);
      house.probes.add('tcp', 'ber', '192.0.2.44:7430', endpoints);
      house.probes.asked = [];
      const probe = await must(house.stack, 'POST', '/v1/probes', {
        ...input,
        name: 'tcp',
        address: '192.0.2.44:7430',
      });
      expect(house.probes.asked[0]).toMatchObject({ enrolled: true });
      expect(probe.certificateNotAfter).toBe(issued.notAfter);

      const renew = async (name: string, certificate = issued.certificate, signedBy = key) => {
        const csr = await makeCsr(name, makeKey());
        return house.stack.call('POST', '/v1/enrolments/renewal', {
          token: null,
          body: { csr, certificate, signature: signCsr(csr, signedBy) },
        });
      };
      const renewed = await renew('tcp');
      expect(renewed.status).toBe(201);
      expect(Issued.parse(renewed.body).certificate).not.toBe(issued.certificate);
      expect(said(await renew('other'))).toEqual([422, 'invalid-request', '/csr']);
      expect(said(await renew('tcp', issued.certificate, makeKey()))).toEqual([401, 'unauthorized']);
      expect(said(await renew('tcp', issued.ca))).toEqual([401, 'unauthorized']);
      const file = (name: string) => readFileSync(join(house.stack.dataDir, 'ca', name), 'utf8');
      const authority = { certificate: file('ca.pem'), key: file('ca.key') };
      const old = await issueProbeCertificate(
        authority,
        await makeCsr('tcp', key),
        'tcp',
        new Date(Date.now() - 31 * 86_400_000),
      );
      expect(said(await renew('tcp', old.certificate))).toEqual([401, 'unauthorized']);
      const unrecorded = await issueProbeCertificate(authority, await makeCsr('tcp', key), 'tcp');
      expect(said(await renew('tcp', unrecorded.certificate))).toEqual([401, 'unauthorized']);
      await must(house.stack, 'DELETE', '/v1/probes/tcp');
      expect(said(await renew('tcp'))).toEqual([401, 'unauthorized']);
    });
  });

  /** The same request with one bit of its signature changed. */
  function tampered(pem: string): string {
    const der = Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
    der.writeUInt8(der.readUInt8(der.length - 3) ^ 1, der.length - 3);
    return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  }
});
