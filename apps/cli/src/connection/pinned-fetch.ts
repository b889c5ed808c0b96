import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';

/**
 * A fetch for the control plane in this very process, whatever name its certificate bears: it trusts that one
 * certificate and no other.
 * @param pem the certificate that the server was given, first of its chain
 */
export function pinnedFetch(pem: string): typeof fetch {
  const expected = new X509Certificate(pem).fingerprint256;
  const agent = new Agent({
    ca: pem,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { fingerprint256 }) =>
      fingerprint256 === expected ? undefined : new Error('another certificate than ours was shown'),
  });
  return async (input, init) => {
    const asked = new Request(input, init);
    const body = asked.body === null ? undefined : Buffer.from(await asked.arrayBuffer());
    return new Promise((resolve, reject) => {
      const headers = { ...Object.fromEntries(asked.headers), ...(body ? { 'content-length': body.length } : {}) };
      const sent = request(asked.url, { agent, method: asked.method, headers, signal: asked.signal }, (answer) => {
        const status = answer.statusCode ?? 502;
        const empty = status === 204 || status === 304 || asked.method === 'HEAD';
        if (empty) answer.resume();
        resolve(
          new Response(empty ? null : bytesOf(answer), {
            status,
            headers: Object.entries(answer.headers).flatMap(([name, value]) =>
              [value ?? []].flat().map((v): [string, string] => [name, v]),
            ),
          }),
        );
      });
      sent.once('error', (cause) => reject(new TypeError('fetch failed', { cause })));
      sent.end(body);
    });
  };
}

/** Node's stream as the web's; cancelling it closes the connection. */
function bytesOf(answer: Readable): ReadableStream<Uint8Array> {
  const chunks = answer[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      } catch (error) {
        controller.error(error);
      }
    },
    cancel() {
      answer.destroy();
    },
  });
}
