import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { CLIENT_AUTH, CONTROL_PLANE_URI, probeDnsName, probeUri, SERVER_AUTH } from './certificate.js';

const DAY_MS = 86_400_000;
/** Clocks of sites differ; a certificate that is not valid yet helps nobody. */
const BACKDATED_MS = 3_600_000;
export const CERTIFICATE_DAYS = 30;
const CA_DAYS = 3650;

/** The certificate authority of one control plane: PEM texts. The key never leaves it. */
export interface CertificateAuthority {
  readonly certificate: string;
  readonly key: string;
}
export interface IssuedCertificate {
  readonly certificate: string;
  readonly notAfter: Date;
}

/** Loaded when first needed: the library takes tens of MB, and an idle probe must stay small. */
async function x509(): Promise<typeof import('@peculiar/x509')> {
  // tsyringe, which it uses, wants the polyfill to be there before.
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A new P-256 key, PEM (PKCS #8). Keep it 0600. */
export const makeKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

async function importKey(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto;
  const pkcs8 = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return {
    privateKey: await subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
  };
}

/** A new authority that signs with P-256 and lasts ten years. */
export async function makeCa(commonName = 'Plumbline CA', now = new Date()): Promise<CertificateAuthority> {
  const lib = await x509();
  const key = makeKey();
  const certificate = await lib.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys: await importKey(key),
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() + CA_DAYS * DAY_MS),
    extensions: [
      new lib.BasicConstraintsExtension(true, 0, true),
      new lib.KeyUsagesExtension(lib.KeyUsageFlags.keyCertSign | lib.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { certificate: certificate.toString('pem'), key };
}

/** A certificate request (PKCS #10, PEM) of the probe `name` for its own key. */
export async function makeCsr(name: string, keyPem: string): Promise<string> {
  const lib = await x509();
  const request = await lib.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [name] }],
    keys: await importKey(keyPem),
    signingAlgorithm: ALGORITHM,
  });
  return request.toString('pem');
}

/**
 * A probe's certificate: serverAuth only, 30 days. Of the request only the key counts; the name is the caller's, and what else
 * the request asks for is ignored.
 * @throws {RangeError} when the request is not readable, is not signed by its key, or holds no P-256 key
 */
export async function issueProbeCertificate(
  ca: CertificateAuthority,
  csrPem: string,
  name: string,
  now = new Date(),
): Promise<IssuedCertificate> {
  const lib = await x509();
  const key = await requestedKey(csrPem);
  return issue(ca, key, now, {
    name,
    usage: SERVER_AUTH,
    names: [
      { type: 'url', value: probeUri(name) },
      { type: 'dns', value: probeDnsName(name) },
    ],
    lib,
  });
}

/** The control plane's own client certificate: clientAuth only, 30 days, with a new key. */
export async function issueControlPlaneCertificate(
  ca: CertificateAuthority,
  now = new Date(),
): Promise<IssuedCertificate & { readonly key: string }> {
  const lib = await x509();
  const key = makeKey();
  const { publicKey } = await importKey(key);
  const names = [{ type: 'url' as const, value: CONTROL_PLANE_URI }];
  const issued = await issue(ca, publicKey, now, { name: 'control-plane', usage: CLIENT_AUTH, names, lib });
  return { ...issued, key };
}

interface Subject {
  name: string;
  usage: string;
  names: { type: 'url' | 'dns'; value: string }[];
  lib: Awaited<ReturnType<typeof x509>>;
}

async function issue(
  ca: CertificateAuthority,
  publicKey: webcrypto.CryptoKey,
  now: Date,
  { name, usage, names, lib }: Subject,
): Promise<IssuedCertificate> {
  const issuer = new lib.X509Certificate(ca.certificate);
  const notAfter = new Date(now.getTime() + CERTIFICATE_DAYS * DAY_MS);
  const certificate = await lib.X509CertificateGenerator.create({
    subject: [{ CN: [name] }],
    issuer: issuer.subject,
    publicKey,
    signingKey: (await importKey(ca.key)).privateKey,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter,
    extensions: [
      new lib.BasicConstraintsExtension(false, undefined, true),
      new lib.KeyUsagesExtension(lib.KeyUsageFlags.digitalSignature, true),
      new lib.ExtendedKeyUsageExtension([usage], true),
      new lib.SubjectAlternativeNameExtension(names),
      await lib.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), notAfter };
}

async function requestedKey(csrPem: string): Promise<webcrypto.CryptoKey> {
  const lib = await x509();
  let request: InstanceType<typeof lib.Pkcs10CertificateRequest>;
  try {
    request = new lib.Pkcs10CertificateRequest(csrPem);
    if (!(await request.verify())) throw new Error('bad signature');
  } catch {
    throw new RangeError('the certificate request is not readable, or its own key did not sign it');
  }
  try {
    return await request.publicKey.export(ALGORITHM, ['verify']);
  } catch {
    throw new RangeError('the certificate request does not hold a P-256 key');
  }
}

/** For the renewal: base64 over the request's DER, by the key of the certificate that is to be renewed. */
export const signCsr = (csrPem: string, keyPem: string): string =>
  sign('sha256', derOf(csrPem), keyPem).toString('base64');

/** Whether the key of `certificatePem` signed that request. Says nothing about the certificate itself. */
export function isCsrSignedBy(csrPem: string, certificatePem: string, signature: string): boolean {
  try {
    const { publicKey } = new X509Certificate(certificatePem);
    return verify('sha256', derOf(csrPem), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
