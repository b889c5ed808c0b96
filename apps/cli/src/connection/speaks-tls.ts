import { connect } from 'node:tls';

const WITHIN_MS = 2000;

/** Whether what listens at an http address would answer a TLS handshake. Nothing but the handshake is sent. Never rejects. */
export function speaksTls(server: string): Promise<boolean> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    // Only whether it answers is asked; nothing is trusted, and nothing is told to it.
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false });
    const end = (speaks: boolean) => () => {
      socket.destroy();
      resolve(speaks);
    };
    // Ends: with the handshake, its failure, or after WITHIN_MS.
    socket.setTimeout(WITHIN_MS, end(false));
    socket.once('secureConnect', end(true));
    socket.once('error', end(false));
    socket.once('close', end(false));
  });
}
