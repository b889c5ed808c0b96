import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Identity, makeKey, probeCertificateProblem, publicKeyOf, readCertificate } from '@plumbline/probe-rpc';
import { z } from 'zod';
import { writeDurably } from '../durable.js';

/** Who a probe is: its key, and its certificate once it is enrolled. */
export interface ProbeIdentity {
  /** PEM. Signs grants; the certificate's key once enrolled. */
  readonly key: string;
  readonly publicKey: Buffer;
  readonly enrolled?: Enrolled;
}
export interface Enrolled extends Identity {
  /** The control plane that issued the certificate, for renewals. */
  readonly server: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** One file, replaced at once, so that key and certificate always fit each other. */
const Stored = z.object({
  key: z.string(),
  enrolled: z.object({ ca: z.string(), certificate: z.string(), server: z.url() }).optional(),
});
const fileIn = (folder: string): string => join(folder, 'identity.json');

/** The probe's own key, made when there is none yet. @throws {Error} with a sentence when the file cannot be read */
export function loadKey(folder: string): string {
  return load(folder).key;
}

/**
 * The identity in that folder; a key is made when there is none.
 * @throws {Error} with a sentence when what is there cannot be read or belongs to another probe
 */
export function loadIdentity(folder: string, name: string): ProbeIdentity {
  const { key, enrolled } = load(folder);
  const own = { key, publicKey: publicKeyOf(key) };
  if (!enrolled) return own;
  const { publicKey, notBefore, notAfter } = readCertificate(enrolled.certificate);
  const problem = probeCertificateProblem(enrolled.certificate, enrolled.ca, name, notBefore);
  if (problem || !publicKey.equals(own.publicKey))
    throw new Error(
      `The certificate in ${folder} is not one for the probe ${name}: ${problem ?? 'it has another key'}. Enrol it again.`,
    );
  return { ...own, enrolled: { ...enrolled, key, notBefore, notAfter } };
}

/** Stores what an enrolment or a renewal gave. On disk when this returns. */
export function storeIdentity(folder: string, { key, ca, certificate, server }: Identity & { server: string }): void {
  writeDurably(fileIn(folder), JSON.stringify({ key, enrolled: { ca, certificate, server } }));
}

function load(folder: string): z.output<typeof Stored> {
  const file = fileIn(folder);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeDurably(file, JSON.stringify({ key: makeKey() }));
  }
  try {
    return Stored.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Error(
      `${file} cannot be read. Move it away; the probe then makes a new key, and has to be enrolled again.`,
    );
  }
}
