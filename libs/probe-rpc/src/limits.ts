/** Both sides of the wire agree on these; a change here is a change of the contract. */

/** UTF-8 bytes of `Spec.spec_json`. */
export const SPEC_MAX_BYTES = 64 * 1024;
/** Bytes of one `ArtifactChunk`. */
export const CHUNK_MAX_BYTES = 256 * 1024;
/** A chunk, or a spec with its grant and certificate, and room for the envelope. gRPC's own default would be 4 MiB. */
export const MESSAGE_MAX_BYTES = 1024 * 1024;
/** A probe with nothing to say on an Execute stream says that it is alive this often. */
export const ALIVE_EVERY_MS = 1000;
/** A stream that says nothing for this long is dead, whatever TCP thinks (a NAT drops idle flows without a word). */
export const SILENCE_MS = 5000;

/**
 * HTTP/2 keepalive, the same on both sides: pings only while a call runs, so that no server or proxy in between (whose usual
 * minimum is 300 s without calls) answers ENHANCE_YOUR_CALM, after which grpc-js silently doubles its interval. What finds
 * a dead stream is the Alive event; this only tears the connection down.
 */
export const KEEPALIVE = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.max_send_message_length': MESSAGE_MAX_BYTES,
  'grpc.max_receive_message_length': MESSAGE_MAX_BYTES,
} as const;
