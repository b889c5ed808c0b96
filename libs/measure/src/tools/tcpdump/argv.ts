import { type Ending, ended } from '@plumbline/model';
import type { ProbeHost } from '../../ability.js';
import { tcpdump } from './version.js';

/** Ethernet, IPv6 and a TCP header with the options of a SYN: 94 bytes. Payload beyond that is not kept. */
export const SNAPSHOT_BYTES = 96;
/** With what a record adds (16 bytes) this many packets are 22 MB at most. */
export const MOST_PACKETS = 200_000;
/** tcpdump needs this long until it listens, so that the handshake is not missed. */
export const LEAD_MS = 1_000;

export interface CaptureArgs {
  /** Absent: all interfaces. */
  readonly interface?: string;
  readonly peerAddress: string;
  readonly port: number;
  /** Where the bytes go; `-` is stdout. */
  readonly file: string;
}

/** Headers only, as many packets as fit, of the test's own connections. Stays root: the attempt's folder is root's alone. */
export const captureArgv = (args: CaptureArgs): string[] => [
  ...['tcpdump', '-n', '-p', '-U', '-s', String(SNAPSHOT_BYTES), '-c', String(MOST_PACKETS), '-Z', 'root'],
  ...['-i', args.interface ?? 'any', '-w', args.file],
  `host ${args.peerAddress} and tcp port ${args.port}`,
];

/** Why this host cannot capture; undefined: it can. */
export function refusesCapture(host: ProbeHost): Ending | undefined {
  if (host.tools.tcpdump === undefined)
    return ended('tool-missing', `tcpdump is missing; capture needs the package ${tcpdump.package}.`);
  return host.root === true
    ? undefined
    : ended('parameter-unsupported', 'capture needs root: tcpdump reads from the interface.');
}
