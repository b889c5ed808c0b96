import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { FarInput } from '@plumbline/measure';

const generate = promisify(generateKeyPair);
const READY = 2;

type KeyPair = Pick<FarInput['credentials'], 'publicKeyPem' | 'privateKeyPem'>;

/** One-off credentials for tools that authenticate. Keys are made ahead, one at a time, so that no request waits for one. */
export class Credentials {
  readonly #ready: KeyPair[] = [];
  #making: Promise<void> | undefined;

  /** Starts to fill the store; returns at once. */
  prepare(): void {
    this.#making ??= this.#fill().finally(() => {
      this.#making = undefined;
    });
  }

  /** A fresh RSA-2048 pair (SPKI and PKCS #8, as OpenSSL's PEM readers in iperf3 take them), user and password. */
  async take(): Promise<FarInput['credentials']> {
    const pair = this.#ready.shift() ?? (await makePair());
    this.prepare();
    const random = (bytes: number): string => randomBytes(bytes).toString('hex');
    return { ...pair, user: `plumb${random(4)}`, password: random(16) };
  }

  async #fill(): Promise<void> {
    // Ends when the store is full; a failure leaves it to the next take.
    while (this.#ready.length < READY) {
      const pair = await makePair().catch(() => undefined);
      if (!pair) return;
      this.#ready.push(pair);
    }
  }
}

async function makePair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}
