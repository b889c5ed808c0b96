import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import { expect, test } from 'vitest';
import {
  certificateSha256,
  isControlPlane,
  probeCertificateProblem,
  publicKeyOf,
  readCertificate,
} from './certificate.js';
import { makeEnrolmentToken, parseEnrolmentToken } from './enrolment-token.js';
import {
  isCsrSignedBy,
  issueControlPlaneCertificate,
  issueProbeCertificate,
  makeCa,
  makeCsr,
  makeKey,
  signCsr,
} from './pki.js';

const now = new Date('2026-05-01T12:00:00Z');
const days = (n: number): Date => new Date(now.getTime() + n * 86_400_000);

test('a probe certificate: 30 days, serverAuth only, names the probe, and is under its CA', async () => {
  const ca = await makeCa('CA', now);
  const key = makeKey();
  const { certificate, notAfter } = await issueProbeCertificate(ca, await makeCsr('ignored', key), 'lon-1', now);
  const read = new X509Certificate(certificate);
  expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(readCertificate(certificate).names).toEqual(['URI:plumbline://probe/lon-1', 'DNS:lon-1.probe.plumbline']);
  expect(readCertificate(certificate).publicKey.equals(publicKeyOf(key))).toBe(true);
  expect([notAfter, read.validToDate]).toEqual([days(30), days(30)]);
  expect(probeCertificateProblem(certificate, ca.certificate, 'lon-1', now)).toBeUndefined();
  expect(probeCertificateProblem(certificate, ca.certificate, 'lon-2', now)).toContain('does not name');
  expect(probeCertificateProblem(certificate, ca.certificate, 'lon-1', days(31))).toContain('holds from');
  expect(probeCertificateProblem(certificate, ca.certificate, 'lon-1', days(-1))).toContain('holds from');
  expect(probeCertificateProblem('rubbish', ca.certificate, 'lon-1', now)).toContain('readable');
  const other = await makeCa('CA', now);
  expect(probeCertificateProblem(certificate, other.certificate, 'lon-1', now)).toContain('another authority');
});

test("the control plane's certificate: clientAuth only, and no probe's", async () => {
  const ca = await makeCa('CA', now);
  const { certificate, key } = await issueControlPlaneCertificate(ca, now);
  expect(new X509Certificate(certificate).keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(readCertificate(certificate).names).toEqual(['URI:plumbline://control-plane']);
  expect(readCertificate(certificate).publicKey.equals(publicKeyOf(key))).toBe(true);
  expect(probeCertificateProblem(certificate, ca.certificate, 'control-plane', now)).toBeDefined();
  expect(probeCertificateProblem(ca.certificate, ca.certificate, 'CA', now)).toBeDefined();
});

test.each([
  ['the control plane', 'URI:plumbline://control-plane', ['1.3.6.1.5.5.7.3.2'], true],
  ['its name on a certificate for servers', 'URI:plumbline://control-plane', ['1.3.6.1.5.5.7.3.1'], false],
  ['a client with another name', 'URI:plumbline://control-plane2', ['1.3.6.1.5.5.7.3.2'], false],
  ['its name inside another', '"URI:x, URI:plumbline://control-plane"', ['1.3.6.1.5.5.7.3.2'], false],
  ['a probe', 'URI:plumbline://probe/lon-1', ['1.3.6.1.5.5.7.3.2'], false],
  ['no name', undefined, ['1.3.6.1.5.5.7.3.2'], false],
  ['no usage', 'URI:plumbline://control-plane', undefined, false],
])('%s', (_, subjectaltname, usage, is) => {
  const peer: Partial<PeerCertificate> = { subjectaltname, ext_key_usage: usage };
  expect(isControlPlane(Object.assign(Object.create(null), peer))).toBe(is);
  expect(isControlPlane(undefined)).toBe(false);
});

test('a request that its own key did not sign, or for another kind of key, is refused', async () => {
  const ca = await makeCa('CA', now);
  const csr = await makeCsr('lon-1', makeKey());
  const body = Buffer.from(csr.replace(/-----[^-]+-----/g, ''), 'base64');
  body[body.length - 3] = (body.at(-3) ?? 0) ^ 1;
  const bent = `-----BEGIN CERTIFICATE REQUEST-----\n${body.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  for (const text of [bent, 'rubbish', ''])
    await expect(issueProbeCertificate(ca, text, 'lon-1', now)).rejects.toThrow(RangeError);
});

test('the signature of a renewal is that of the present key, over that very request', async () => {
  const ca = await makeCa('CA', now);
  const key = makeKey();
  const csr = await makeCsr('lon-1', makeKey());
  const { certificate } = await issueProbeCertificate(ca, await makeCsr('lon-1', key), 'lon-1', now);
  const signature = signCsr(csr, key);
  expect(isCsrSignedBy(csr, certificate, signature)).toBe(true);
  expect(isCsrSignedBy(await makeCsr('lon-1', makeKey()), certificate, signature)).toBe(false);
  expect(isCsrSignedBy(csr, certificate, signCsr(csr, makeKey()))).toBe(false);
  expect(isCsrSignedBy(csr, certificate, 'rubbish')).toBe(false);
  expect(isCsrSignedBy(csr, 'rubbish', signature)).toBe(false);
});

test('an enrolment token holds its secret, the pin and the name, also a name with dots', async () => {
  const { certificate } = await makeCa();
  const pin = certificateSha256(certificate);
  const text = makeEnrolmentToken(pin, 'lon-1.dc.example');
  expect(parseEnrolmentToken(`${text}\n`)).toMatchObject({ caSha256: pin, probe: 'lon-1.dc.example' });
  expect(parseEnrolmentToken(text)?.secret).not.toBe(parseEnrolmentToken(makeEnrolmentToken(pin, 'a'))?.secret);
  for (const bad of ['', 'plbe_', text.replace('plbe_', 'plb_'), `${text}/x`, text.replace(pin, pin.slice(1))])
    expect(parseEnrolmentToken(bad)).toBeUndefined();
});
