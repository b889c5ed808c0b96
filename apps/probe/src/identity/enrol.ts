import { join } from 'node:path';
import { certificateSha256, makeCsr, parseEnrolmentToken, probeCertificateProblem } from '@plumbline/probe-rpc';
import { z } from 'zod';
import { loadKey, storeIdentity } from './identity.js';

const DEADLINE_MS = 15_000;
export const Issued = z.object({ certificate: z.string(), ca: z.string(), notAfter: z.iso.datetime({ offset: true }) });
const Problem = z.object({ detail: z.string().optional(), title: z.string() });

export interface EnrolOptions {
  /** URL of the control plane. */
  readonly server: string;
  /** The token file's text. */
  readonly token: string;
  readonly dataDir: string;
  readonly now?: () => Date;
}

/**
 * Makes the probe's key here, has the control plane certify it, and stores both under D/identity. Trusts only the authority whose
 * hash the token pins, whatever network is in between. A running probe takes the certificate when it is started again.
 * @throws {Error} with a sentence that says what to do
 */
export async function enrol(options: EnrolOptions): Promise<{ name: string; notAfter: Date }> {
  const token = parseEnrolmentToken(options.token);
  if (!token)
    throw new Error(
      'This is not an enrolment token. Ask for one where the control plane is: plumb probe enrolment NAME.',
    );
  const folder = join(options.dataDir, 'identity');
  const key = loadKey(folder);
  const csr = await makeCsr(token.probe, key);
  const headers = { authorization: `Bearer ${options.token.trim()}` };
  const issued = await askForCertificate(new URL('/v1/enrolments', options.server), { csr }, headers);
  if (certificateSha256(issued.ca) !== token.caSha256)
    throw new Error(
      `The authority at ${options.server} is not the one that the token pins. Somebody may be in between: nothing was stored.`,
    );
  const problem = probeCertificateProblem(issued.certificate, issued.ca, token.probe, options.now?.() ?? new Date());
  if (problem) throw new Error(`The certificate that came does not hold: ${problem}. Nothing was stored.`);
  storeIdentity(folder, { ca: issued.ca, certificate: issued.certificate, key, server: options.server });
  return { name: token.probe, notAfter: new Date(issued.notAfter) };
}

/** @throws {Error} with the control plane's own words when it refuses; the headers are never in it */
export async function askForCertificate(
  url: URL,
  body: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<z.output<typeof Issued>> {
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : 'no answer';
    throw new Error(
      `The control plane at ${url.origin} could not be reached (${why}). Is the URL right, and does it run?`,
    );
  }
  const json: unknown = await answer.json().catch(() => undefined);
  const issued = Issued.safeParse(json);
  if (answer.ok && issued.success) return issued.data;
  const problem = Problem.safeParse(json).data;
  throw new Error(
    `The control plane at ${url.origin} refused (${answer.status}): ${problem?.detail ?? problem?.title ?? 'it did not say why'}`,
  );
}
