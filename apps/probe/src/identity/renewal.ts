import { certificateSha256, makeCsr, makeKey, probeCertificateProblem, signCsr } from '@plumbline/probe-rpc';
import { askForCertificate } from './enrol.js';
import { type Enrolled, storeIdentity } from './identity.js';

const HOUR_MS = 3_600_000;

/** Whether at most a third of the certificate's life is left. */
export function isDueForRenewal({ notBefore, notAfter }: Pick<Enrolled, 'notBefore' | 'notAfter'>, now: Date): boolean {
  return notAfter.getTime() - now.getTime() <= (notAfter.getTime() - notBefore.getTime()) / 3;
}

/**
 * A new certificate for a new key, asked for with the present ones and stored. The authority must be the same.
 * @throws {Error} with a sentence; the present certificate stays then
 */
export async function renew(current: Enrolled, name: string, folder: string, now: Date): Promise<void> {
  const key = makeKey();
  const csr = await makeCsr(name, key);
  const request = { csr, certificate: current.certificate, signature: signCsr(csr, current.key) };
  const issued = await askForCertificate(new URL('/v1/enrolments/renewal', current.server), request);
  if (certificateSha256(issued.ca) !== certificateSha256(current.ca))
    throw new Error('The renewed certificate is from another authority. Enrol the probe again if that is meant.');
  const problem = probeCertificateProblem(issued.certificate, current.ca, name, now);
  if (problem) throw new Error(`The renewed certificate does not hold: ${problem}.`);
  storeIdentity(folder, { ca: current.ca, certificate: issued.certificate, key, server: current.server });
}

/** Calls `work` now and every hour, one after another. @returns stops it */
export function everyHour(work: () => Promise<void>): () => void {
  let running = false;
  const turn = (): void => {
    if (running) return;
    running = true;
    void work().finally(() => {
      running = false;
    });
  };
  const timer = setInterval(turn, HOUR_MS);
  timer.unref();
  turn();
  return () => clearInterval(timer);
}
