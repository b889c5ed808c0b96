import { createServer } from 'node:net';
import { Failure, usage } from '../failure.js';

export interface AddressFlags {
  readonly host: string;
  readonly port: number;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly behindProxy?: boolean | undefined;
}

/** 127.0.0.0/8, ::1 and their name: nobody outside this host can reach these. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/**
 * Tokens must not travel in the clear: an address that others reach needs TLS here, or a proxy that does it.
 * @throws {Failure} usage
 */
export function checkAddress({ host, tlsCert, tlsKey, behindProxy = false }: AddressFlags): void {
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw usage('TLS needs both the certificate and its key.', '--tls-cert CERT.pem --tls-key KEY.pem');
  if (tlsCert !== undefined && behindProxy)
    throw usage('With --behind-proxy the proxy does the TLS; leave out --tls-cert and --tls-key.');
  if (!isLoopback(host) && tlsCert === undefined && !behindProxy)
    throw usage(
      `Serving on ${host} without TLS would send tokens in the clear.`,
      '--tls-cert CERT.pem --tls-key KEY.pem, or --behind-proxy when a proxy on this host does the TLS',
    );
}

/**
 * Says at once that the port is taken, before servers are started for nothing. Somebody can still take it in between;
 * the control plane then says the same.
 * @throws {Failure} when nothing can listen there
 */
export async function checkPortIsFree(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  try {
    // Ends: listen calls back or emits an error, both at once.
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw listenFailure(error, host, port);
  } finally {
    server.close();
  }
}

/** The sentence for an address that cannot be listened on. */
export function listenFailure(error: unknown, host: string, port: number): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const at = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken by another program.`,
    EACCES: `This user may not listen on port ${port}.`,
    EADDRNOTAVAIL: `This host has no address ${host}.`,
    ENOTFOUND: `The name ${host} has no address.`,
  };
  return new Failure(sentences[code] ?? `Nothing can listen on ${at} (${code}).`, {
    next:
      code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND'
        ? 'name an address of this host: --host ADDRESS'
        : `name another port: plumb up --port ${port < 1024 ? 7420 : port < 65_535 ? port + 1 : port - 1}`,
    cause: error,
  });
}
