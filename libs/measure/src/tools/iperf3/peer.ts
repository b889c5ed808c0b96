import { z } from 'zod';
import type { FarInput, ProbeHost, Server } from '../../ability.js';
import type { ThroughputSpec } from '../../measurements/throughput/index.js';
import { IDLE_TIMEOUT_S, type Padding, serverArgv } from './argv.js';
import { sha256Hex } from './sha256.js';
import { moreStreamsMs } from './stream-ports.js';
import { type Iperf3Can, iperf3Can } from './version.js';

/** What the near side tells the far one, so that both choose the same padding. */
export const NearFacts = z.object({ version: z.string(), authentication: z.boolean(), oaep: z.boolean() });

/** What the near side must know of the far server. Secret: it holds the password. */
export const Peer = z.object({
  port: z.int().min(1).max(65535),
  version: z.string(),
  authentication: z
    .object({ user: z.string(), password: z.string(), publicKeyPem: z.string(), padding: z.enum(['pkcs1', 'oaep']) })
    .optional(),
});
export type Peer = z.output<typeof Peer>;

export const nearFacts = (host: ProbeHost): z.output<typeof NearFacts> => {
  const { version, authentication, oaep } = iperf3Can(host.tools.iperf3 ?? '');
  return { version, authentication, oaep };
};

/** Longest life of the server: waiting for its client, the test, and the exchange of results. */
export const serverTimeoutMs = (spec: ThroughputSpec): number =>
  (IDLE_TIMEOUT_S + spec.omitS + spec.durationS) * 1000 + moreStreamsMs(spec) + 20_000;

/**
 * The far side's server and what the near side needs of it.
 * @throws {z.ZodError} when the near side's facts do not have their form.
 */
export function far(spec: ThroughputSpec, host: ProbeHost, input: FarInput): { servers: [Server]; peer: Peer } {
  const can = iperf3Can(host.tools.iperf3 ?? '');
  const near = NearFacts.parse(input.nearFacts);
  const padding = choosePadding(can, near.oaep);
  const authenticated = can.authentication && near.authentication;
  const { user, password, publicKeyPem, privateKeyPem } = input.credentials;
  const server: Server = {
    name: 'server',
    tool: 'iperf3',
    argv: serverArgv(can, {
      address: input.address,
      port: input.port,
      ...(authenticated ? { authentication: { padding } } : {}),
    }),
    // The file of authorized users, as iperf_auth.c reads it: user, comma, SHA-256 of "{user}password".
    ...(authenticated
      ? { files: { key: privateKeyPem, users: `${user},${sha256Hex(`{${user}}${password}`)}\n` } }
      : {}),
    timeoutMs: serverTimeoutMs(spec),
    listensOn: { protocol: 'tcp', port: input.port },
    sockets: { localPort: input.port, peerAddress: input.peerAddress },
  };
  const authentication = authenticated ? { user, password, publicKeyPem, padding } : undefined;
  return {
    servers: [server],
    peer: { port: input.port, version: can.version, ...(authentication ? { authentication } : {}) },
  };
}

/** OAEP only if both know it; an older one knows PKCS#1 v1.5 alone and the newer one is told to use it. */
const choosePadding = (can: Iperf3Can, nearOaep: boolean): Padding => (can.oaep && nearOaep ? 'oaep' : 'pkcs1');
