import type { ThroughputSpec } from '../../measurements/throughput/index.js';

/** nuttcp needs two ports at the far end: one for control, one for data. */
export interface NuttcpPorts {
  readonly control: number;
  readonly data: number;
}

const family = (address: string): string => (address.includes(':') ? '-6' : '-4');

/**
 * A server for one client, in the foreground, without its third-party mode. It has no option for an address to bind to:
 * it listens on all of them, on a port of our own.
 */
export const serverArgv = (address: string, { control }: NuttcpPorts): string[] => [
  ...['nuttcp', '-1', family(address), '-P', String(control), '--nofork', '--no3rdparty'],
];

/**
 * The client: key=value output, the receiver's report each second. Both connections are opened by the client, also when it
 * receives (`-F`), so that the ports to let through are those of the far end alone. `-i` also keeps old versions from
 * falling back to their classic mode, which tells the transmitter's count.
 */
export function clientArgv(spec: ThroughputSpec, peerAddress: string, { control, data }: NuttcpPorts): string[] {
  const { direction, durationS, windowBytes, mssBytes, dscp, rateBps } = spec;
  const argv = ['nuttcp', family(peerAddress), '-P', String(control), '-p', String(data), '-T', String(durationS)];
  argv.push('-i', '1', '-fparse', ...(direction === 'reverse' ? ['-r', '-F'] : ['-t']));
  if (windowBytes !== undefined) argv.push(`-w${windowBytes / 1024}`, `-ws${windowBytes / 1024}`);
  if (mssBytes !== undefined) argv.push(`-M${mssBytes}`);
  if (dscp !== undefined) argv.push(`-c${dscp}`);
  if (rateBps !== undefined) argv.push(`-R${Math.floor(rateBps / 1000)}k`);
  return [...argv, peerAddress];
}
