import { createPublicKey, sign, verify } from 'node:crypto';
import { ended, IpAddress, Name, Port } from '@plumbline/model';
import { z } from 'zod';
import { probeCertificateProblem, publicKeyOf, readCertificate } from './certificate.js';
import type { Refusal } from './errors.js';
import type { Grant } from './generated/plumbline/probe/v1/probe.js';

const ceiling = z.number().positive();
/** What the far probe consents to. Signed as text, so the text travels, not the object. */
export const GrantPayload = z.strictObject({
  /** null in a standing grant. */
  attemptId: z.string().min(1).nullable(),
  legId: z.string().min(1).nullable(),
  probe: Name,
  endpoint: Name,
  address: IpAddress,
  port: Port.nullable(),
  specKind: z.string().min(1),
  maxRateBps: ceiling.nullable(),
  maxStreams: ceiling,
  maxDurationS: ceiling,
  notAfter: z.iso.datetime(),
});
export type GrantPayload = z.output<typeof GrantPayload>;

/** Signs with the probe's own P-256 key (ECDSA, SHA-256). `certificate` is its PEM once it is enrolled. */
export function signGrant(payload: GrantPayload, keyPem: string, certificate = ''): Grant {
  const payloadJson = JSON.stringify(payload);
  return {
    payloadJson,
    signature: sign('sha256', Buffer.from(payloadJson), keyPem),
    publicKey: publicKeyOf(keyPem),
    certificate,
  };
}

/** What is going to be sent, to be held against the grant. */
export interface GrantUse {
  readonly attemptId: string;
  readonly specKind: string;
  /** Whether this measurement may run on a standing grant. */
  readonly standing: boolean;
  readonly ceilings: { readonly maxRateBps: number | null; readonly maxStreams: number; readonly maxDurationS: number };
  /** The port that the far side's peer data names, if any. */
  readonly port?: number;
  readonly now: Date;
  /** PEM of the CA that this probe is pinned to. Absent: it is not enrolled and takes the key that the grant carries. */
  readonly ca?: string;
}

/**
 * The consent that a grant holds, if it holds for that use; else the ending with its reason (grant-missing, grant-invalid or
 * grant-exceeded). Its `address` is then the one to send to, and no other.
 */
export function checkGrant(grant: Grant | undefined, use: GrantUse): { payload: GrantPayload } | { problem: Refusal } {
  const refuse = (reason: 'grant-missing' | 'grant-invalid' | 'grant-exceeded', detail: string) => ({
    problem: ended(reason, detail),
  });
  if (!grant || grant.payloadJson === '') return refuse('grant-missing', 'No grant came with the test.');
  const payload = parsePayload(grant.payloadJson);
  if (!payload) return refuse('grant-invalid', 'The grant cannot be read.');
  const forgery = signatureProblem(grant, payload, use);
  if (forgery) return refuse('grant-invalid', forgery);
  const elsewhere = scopeProblem(payload, use);
  if (elsewhere) return refuse('grant-invalid', elsewhere);
  const excess = ceilingProblem(payload, use.ceilings);
  return excess ? refuse('grant-exceeded', excess) : { payload };
}

function parsePayload(text: string): GrantPayload | undefined {
  try {
    return GrantPayload.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function signatureProblem(grant: Grant, payload: GrantPayload, use: GrantUse): string | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(grant.publicKey), type: 'spki', format: 'der' });
    if (!verify('sha256', Buffer.from(grant.payloadJson), key, grant.signature)) return 'Its signature is wrong.';
    if (use.ca === undefined) return undefined;
    if (grant.certificate === '') return `The probe ${payload.probe} is not enrolled, and this one is.`;
    const problem = probeCertificateProblem(grant.certificate, use.ca, payload.probe, use.now);
    if (problem) return `The certificate of ${payload.probe} does not hold here: ${problem}.`;
    const certified = readCertificate(grant.certificate).publicKey;
    return certified.equals(grant.publicKey) ? undefined : 'Another key than the certified one signed it.';
  } catch {
    return 'Its key cannot be read.';
  }
}

function scopeProblem(payload: GrantPayload, use: GrantUse): string | undefined {
  if (new Date(payload.notAfter) < use.now) return `It ended at ${payload.notAfter}.`;
  if (payload.specKind !== use.specKind) return `It is for ${payload.specKind}, not for ${use.specKind}.`;
  if (payload.attemptId === null)
    return use.standing ? undefined : `A standing grant is not enough for ${use.specKind}.`;
  if (payload.attemptId !== use.attemptId) return 'It is for another attempt.';
  const port = use.port ?? payload.port;
  return port === payload.port ? undefined : `It is for port ${payload.port}, not for port ${port}.`;
}

function ceilingProblem(payload: GrantPayload, asks: GrantUse['ceilings']): string | undefined {
  if (payload.maxRateBps !== null && (asks.maxRateBps === null || asks.maxRateBps > payload.maxRateBps))
    return `It allows ${payload.maxRateBps} bit/s; the test asks for ${asks.maxRateBps ?? 'no limit'}.`;
  if (asks.maxStreams > payload.maxStreams)
    return `It allows ${payload.maxStreams} streams; the test asks for ${asks.maxStreams}.`;
  if (asks.maxDurationS > payload.maxDurationS)
    return `It allows ${payload.maxDurationS} s; the test asks for ${asks.maxDurationS} s.`;
  return undefined;
}
