import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';

/** extKeyUsage of RFC 5280, 4.2.1.12. */
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** What only the control plane's certificate carries. */
export const CONTROL_PLANE_URI = 'plumbline://control-plane';
export const probeUri = (name: string): string => `plumbline://probe/${name}`;
/** For TLS clients that only know host names. */
export const probeDnsName = (name: string): string => `${name}.probe.plumbline`;

/** PEM and what is written in it, read by node:crypto alone. */
export interface Identity {
  /** PEM of the certificate authority. */
  readonly ca: string;
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

/** SHA-256 of a certificate's DER, hex: what an enrolment token pins. @throws when the text is no certificate */
export const certificateSha256 = (pem: string): string =>
  createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');

/** SPKI DER of a private key's public half. @throws when the text is no key */
export const publicKeyOf = (keyPem: string): Buffer => createPublicKey(keyPem).export({ type: 'spki', format: 'der' });

/** @throws when the text is no certificate */
export function readCertificate(pem: string): { publicKey: Buffer; notBefore: Date; notAfter: Date; names: string[] } {
  const certificate = new X509Certificate(pem);
  return {
    publicKey: certificate.publicKey.export({ type: 'spki', format: 'der' }),
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
    names: namesIn(certificate.subjectAltName ?? ''),
  };
}

/**
 * Why a certificate is not that of the probe `name` under this CA at that time; undefined: it is.
 * One CA issues all; there are no intermediates.
 */
export function probeCertificateProblem(
  certificatePem: string,
  caPem: string,
  name: string,
  now: Date,
): string | undefined {
  let certificate: X509Certificate;
  let ca: X509Certificate;
  try {
    certificate = new X509Certificate(certificatePem);
    ca = new X509Certificate(caPem);
  } catch {
    return 'it is not a readable certificate';
  }
  if (!certificate.checkIssued(ca) || !certificate.verify(ca.publicKey)) return 'another authority issued it';
  if (certificate.ca) return 'it is the certificate of an authority';
  if (now < certificate.validFromDate || now > certificate.validToDate)
    return `it holds from ${certificate.validFromDate.toISOString()} to ${certificate.validToDate.toISOString()}`;
  if (!namesIn(certificate.subjectAltName ?? '').includes(`URI:${probeUri(name)}`))
    return `it does not name the probe ${name}`;
  return certificate.keyUsage?.includes(SERVER_AUTH) ? undefined : 'it is not for a probe';
}

/** For tls.connect: the chain has been verified, this looks who it is. */
export function wrongProbe(name: string, certificate: PeerCertificate): Error | undefined {
  const wanted = [`URI:${probeUri(name)}`, `DNS:${probeDnsName(name)}`];
  const has = namesIn(certificate.subjectaltname ?? '');
  if (wanted.every((entry) => has.includes(entry))) return undefined;
  return new Error(`the certificate there does not name the probe ${name}`);
}

/** Whether a verified peer is the control plane. A probe's own certificate is not, whatever else it says. */
export function isControlPlane(certificate: PeerCertificate | undefined): boolean {
  if (!certificate) return false;
  const usage: unknown = certificate.ext_key_usage;
  return (
    namesIn(certificate.subjectaltname ?? '').includes(`URI:${CONTROL_PLANE_URI}`) &&
    Array.isArray(usage) &&
    usage.includes(CLIENT_AUTH)
  );
}

/** Entries of a subjectAltName as node:crypto prints it. A name with a comma comes in quotes and so equals none of ours. */
const namesIn = (subjectAltName: string): string[] => subjectAltName.split(', ');
