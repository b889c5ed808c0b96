import { randomBytes } from 'node:crypto';
import { Name } from '@plumbline/model';

/** What a probe needs to trust its control plane before it has a certificate: who issues it, and who it will be. */
export interface EnrolmentToken {
  /** The secret of the single use. */
  readonly secret: string;
  readonly caSha256: string;
  readonly probe: string;
}

/** `plbe_<random>.<sha256 hex of the CA certificate's DER>.<probe name>` */
export const makeEnrolmentToken = (caSha256: string, probe: string): string =>
  `plbe_${randomBytes(24).toString('base64url')}.${caSha256}.${probe}`;

/** Undefined when the text is not such a token. A name may hold dots; the parts before it do not. */
export function parseEnrolmentToken(text: string): EnrolmentToken | undefined {
  const match = /^plbe_([A-Za-z0-9_-]{16,128})\.([0-9a-f]{64})\.(.+)$/.exec(text.trim());
  const name = Name.safeParse(match?.[3]);
  if (!match || !name.success) return undefined;
  return { secret: match[1] ?? '', caSha256: match[2] ?? '', probe: name.data };
}
