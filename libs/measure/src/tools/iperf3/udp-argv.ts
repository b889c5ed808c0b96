import type { UdpLoadSpec } from '../../measurements/udp-load/index.js';
import { atLeast } from '../../tool.js';
import { type ClientArgs, CONNECT_TIMEOUT_MS, RECEIVE_TIMEOUT_MS } from './argv.js';
import type { Iperf3Can } from './version.js';

/**
 * What each stream may send: the whole rate is shared, because `-b` is of one stream (iperf3(1)). Rounded down, so that
 * together they never pass it.
 */
export const rateOfStreamBps = ({ rateBps, streams }: Pick<UdpLoadSpec, 'rateBps' | 'streams'>): number =>
  Math.floor(rateBps / streams);

/**
 * The near side of a UDP load: a fixed rate and a fixed size, don't-fragment where the program can (3.10), so that a
 * datagram that does not fit fails instead of travelling in pieces. The password is in the environment, never here.
 */
export function udpClientArgv(can: Iperf3Can, spec: UdpLoadSpec, args: ClientArgs): string[] {
  const argv = ['iperf3', '-c', args.peerAddress, '-p', String(args.port), '-B', args.address];
  // With several streams each would take the port after: those were not reserved.
  if (spec.streams === 1) argv.push('--cport', String(args.localPort));
  else argv.push('-P', String(spec.streams));
  argv.push('-u', '-b', String(rateOfStreamBps(spec)), '-l', String(spec.payloadBytes));
  argv.push('-J', '-i', '1', '-t', String(spec.durationS), '--connect-timeout', String(CONNECT_TIMEOUT_MS));
  if (atLeast(can.version, '3.10')) argv.push('--dont-fragment');
  if (spec.direction === 'reverse') argv.push('-R');
  if (spec.direction === 'reverse' && can.timeouts) argv.push('--rcv-timeout', String(RECEIVE_TIMEOUT_MS));
  if (spec.dscp !== undefined) argv.push('--dscp', String(spec.dscp));
  if (can.controlKeepalive) argv.push('--cntl-ka=30/10/6');
  if (!args.authentication) return argv;
  argv.push('--username', args.authentication.user, '--rsa-public-key-path', '{file:pub}');
  if (can.oaep && args.authentication.padding === 'pkcs1') argv.push('--use-pkcs1-padding');
  return argv;
}
