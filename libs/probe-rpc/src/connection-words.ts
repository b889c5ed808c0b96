/** What OpenSSL, libuv and grpc-js say of a connection that was not made, and what it means. First match counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /no application protocol/i,
    'What answers there speaks TLS but not gRPC: it is no probe. Compare the address and the port.',
  ],
  [
    /wrong version number|packet length too long|http request/i,
    'What answers there does not speak TLS: it is no probe. Compare the address and the port.',
  ],
  [
    /unable to (verify|get)|self.signed certificate|unknown ca/i,
    'The certificate there is of another authority. Enrol the probe with this control plane, or compare the address.',
  ],
  [
    /certificate has expired|certificate expired/i,
    'The certificate there has expired. Enrol the probe again; compare the clocks.',
  ],
  [/certificate is not yet valid/i, 'The certificate there is not valid yet. Compare the clocks.'],
  [
    /certificate required|bad certificate|alert.*certificate/i,
    "What answers there does not take this control plane's certificate. Enrol the probe with this control plane, and start it again.",
  ],
  [/ECONNREFUSED/, 'Nothing listens there (ECONNREFUSED).'],
  [/ENOENT/, 'There is no such socket (ENOENT).'],
  [/EACCES/, 'This user may not connect to it (EACCES).'],
  [/EHOSTUNREACH|ENETUNREACH/, 'There is no route to it (EHOSTUNREACH).'],
  [/ECONNRESET|socket hang up|socket disconnected/, 'The connection was broken off while it was being made.'],
  [/Name resolution failed/, 'Its name has no address: name resolution failed.'],
];

/** `4F2A..:error:0A000460:SSL routines:function:reason:file.c:918:...`: the reason is the part for people. */
const OPENSSL = /(?:[0-9A-F]+:)?error:[0-9A-F]{8}:[^:]*:[^:]*:([^:\n]*).*/s;
const WRAPPING = /^No connection established\. Last error: (?:Error: )?/;

/**
 * What a failed connection means, in words of ours: grpc-js passes on the raw texts of OpenSSL and libuv, and ends with a
 * note of its own name resolution. What is not known here keeps its words, less those.
 */
export function connectionWords(details: string): string {
  const text = details.replace(/\s*\.?\s*Resolution note:.*$/s, '').trim();
  // What our own check of a certificate says is a sentence already.
  const raw = text !== details || OPENSSL.test(text) || text.startsWith('Name resolution failed');
  const meaning = raw ? MEANINGS.find(([pattern]) => pattern.test(text))?.[1] : undefined;
  if (meaning !== undefined) return meaning;
  const plain = text.replace(WRAPPING, '').replace(OPENSSL, (_whole, reason: string) => `TLS failed: ${reason}`);
  return /[.!?]$/.test(plain) ? plain : `${plain}.`;
}
