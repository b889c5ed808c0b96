import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { sentenceOf, usage } from '../failure.js';

const NEXT = '--tls-cert CERT.pem --tls-key KEY.pem';

/**
 * Before anything is started: whether the certificate and the key can be used, and belong together.
 * @returns the certificate, PEM
 * @throws {Failure} usage
 */
export async function readTlsFiles(files: { readonly cert: string; readonly key: string }): Promise<string> {
  const cert = await read('certificate', files.cert);
  const key = await read('key', files.key);
  if (!usable({ cert })) throw usage(`${files.cert} is no certificate (PEM).`, NEXT);
  if (!usable({ key })) throw usage(`${files.key} is no private key (PEM, without a passphrase).`, NEXT);
  if (!usable({ cert, key }))
    throw usage(
      `The certificate ${files.cert} and the key ${files.key} do not belong together.`,
      `${NEXT}: the key that the certificate was made for`,
    );
  return cert;
}

function usable(pair: { cert?: string; key?: string }): boolean {
  try {
    createSecureContext(pair);
    return true;
  } catch {
    return false;
  }
}

const read = (what: string, file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    throw usage(`The ${what} ${file} cannot be read: ${sentenceOf(error)}.`, NEXT);
  });
