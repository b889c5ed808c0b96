import type { NearInput } from '../../ability.js';

/** hping3 waits this long for answers once everything is sent (hping2.h, COUNTREACHED_TIMEOUT). */
export const LINGER_S = 1;

export interface Syns {
  readonly port: number;
  readonly count: number;
  readonly intervalS: number;
}

/** TCP SYNs from the endpoint's own address, each from a port of its own: numbers, no names, no data. */
export const synArgv = (
  { port, count, intervalS }: Syns,
  { address, interface: device, peerAddress }: NearInput,
): string[] => [
  ...['hping3', '-n', '-S', '-p', String(port), '-c', String(count), '-i', `u${Math.round(intervalS * 1e6)}`],
  ...['-a', address, ...(device === undefined ? [] : ['-I', device]), peerAddress],
];

/** The same with a growing TTL, as far as the first answer of the port itself. */
export const traceArgv = (syns: Syns, input: NearInput): string[] => {
  const argv = synArgv(syns, input);
  return [...argv.slice(0, -1), '--traceroute', '--tr-stop', ...argv.slice(-1)];
};

export const synsTimeoutMs = ({ count, intervalS }: Pick<Syns, 'count' | 'intervalS'>): number =>
  Math.ceil(count * intervalS * 1200 + LINGER_S * 2000 + 5000);
