import type { AttemptOutput, PhaseOutput } from '../../ability.js';
import type { UdpLoadResult, UdpLoadSpec } from '../../measurements/udp-load/index.js';
import { atLeast } from '../../tool.js';
import { cpuRemarks } from './host-remarks.js';

/** IP and UDP headers (RFC 791, RFC 8200, RFC 768). */
const HEADERS_BYTES = { ipv4: 28, ipv6: 48 } as const;

/** What the programs and their hosts, not the path, did to a UDP load. */
export function udpHostRemarks(spec: UdpLoadSpec, output: AttemptOutput, result: UdpLoadResult): string[] {
  const forward = spec.direction === 'forward';
  const { sender, receiver } = result.cpu;
  const accounts = [
    { end: 'near', version: result.versions.near, share: forward ? sender : receiver },
    { end: 'far', version: result.versions.far, share: forward ? receiver : sender },
  ] as const;
  return [...cpuRemarks(accounts, spec.streams, true), ...fragmentRemarks(spec, output, result)];
}

/**
 * Before 3.10 iperf3 cannot forbid fragmentation. A datagram above the MTU then travels in pieces, and hosts and firewalls
 * drop pieces while whole datagrams pass: loss that looks like a path that went down (iperf issues 861, 905).
 */
function fragmentRemarks(spec: UdpLoadSpec, { phases, snapshots }: AttemptOutput, result: UdpLoadResult): string[] {
  const client = phases.find(({ end, name }) => end === 'near' && name === 'test');
  const [end, version] =
    spec.direction === 'forward' ? (['near', result.versions.near] as const) : (['far', result.versions.far] as const);
  const mtuBytes = snapshots[end]?.interface?.mtu;
  const forbidden = client?.argv.includes('--dont-fragment') && (version === undefined || atLeast(version, '3.10'));
  if (!client || forbidden || mtuBytes === undefined) return [];
  const packetBytes = spec.payloadBytes + HEADERS_BYTES[isIpv6(client) ? 'ipv6' : 'ipv4'];
  if (packetBytes <= mtuBytes) return [];
  const silent = result.intervals.length > 0 && result.intervals.slice(1).some(({ bytes }) => bytes === 0);
  return [
    `datagrams of ${packetBytes} bytes do not fit the MTU of ${mtuBytes} and travelled in fragments: one lost fragment loses the datagram`,
    ...(silent
      ? ['seconds without any datagram: fragments are dropped, which does not mean that the link is down']
      : []),
  ];
}

const isIpv6 = ({ argv }: PhaseOutput): boolean => argv[argv.indexOf('-c') + 1]?.includes(':') ?? false;
