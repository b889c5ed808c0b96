import type { TransactionsSpec } from '../../measurements/transactions/index.js';

export interface Iperf2Ends {
  readonly address: string;
  readonly peerAddress: string;
  readonly port: number;
}

const family = (address: string): string[] => (address.includes(':') ? ['-V'] : []);

/** A server that ends with the last of so many connections, one after the other or at once (`-P` of the manual). */
export const serverArgv = (address: string, port: number, connections: number): string[] => [
  ...['iperf', '-s', '-e', '-p', String(port), '-B', address, '-P', String(connections)],
  ...family(address),
];

/**
 * Requests back to back: without `--bounceback-period 0` iperf 2 sends ten a second and prints 1 / mean as a rate. Without
 * `-i`: with it a reply that takes longer than half an interval ends the test (src/Client.cpp, RunBounceBackTCP).
 */
export function bouncebackArgv(spec: TransactionsSpec, durationS: number, ends: Iperf2Ends): string[] {
  const { requestBytes, replyBytes } = spec;
  const sizes =
    requestBytes === replyBytes
      ? ['-l', String(requestBytes)]
      : ['--bounceback-request', String(requestBytes), '--bounceback-reply', String(replyBytes)];
  return [...clientArgv(ends), '--bounceback', '--bounceback-period', '0', ...sizes, '-t', String(durationS)];
}

/** One bulk TCP stream, with the sender's own congestion control. */
export const loadArgv = (durationS: number, ends: Iperf2Ends): string[] => [
  ...clientArgv(ends),
  ...['-t', String(durationS)],
];

const clientArgv = ({ address, peerAddress, port }: Iperf2Ends): string[] => [
  ...['iperf', '-c', peerAddress, '-p', String(port), '-B', address, '-e'],
  ...family(peerAddress),
];
