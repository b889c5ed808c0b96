import type { SocketFilter } from '../../ability.js';

/**
 * Reads TCP sockets once: numeric, with tcp_info and memory, without a header (ss(8)). All conditions of the filter hold
 * at once. Connected states only: no listener, no TIME-WAIT.
 */
export function ssArgv(filter: SocketFilter): [string, ...string[]] {
  const conditions: string[] = [];
  const { localPort, lastLocalPort } = filter;
  if (localPort !== undefined && lastLocalPort !== undefined)
    conditions.push(`sport >= :${localPort}`, `sport <= :${lastLocalPort}`);
  else if (localPort !== undefined) conditions.push(`sport = :${localPort}`);
  if (filter.peerPort !== undefined) conditions.push(`dport = :${filter.peerPort}`);
  if (filter.peerAddress !== undefined) conditions.push(`dst = ${bracketed(filter.peerAddress)}`);
  if (conditions.length === 0) return ['ss', '-tinmH'];
  return ['ss', '-tinmH', `( ${conditions.join(' and ')} )`];
}

const bracketed = (address: string): string => (address.includes(':') ? `[${address}]` : address);
