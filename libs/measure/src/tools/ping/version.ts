import type { ProbeHost } from '../../ability.js';
import { atLeast, type Tool } from '../../tool.js';

export const ping: Tool = {
  name: 'ping',
  versionArgv: ['ping', '-V'],
  package: 'iputils-ping',
  versions: 'iputils s20161105 to 20250605, BusyBox 1.30 to 1.36',
  parseVersion: (text) => flavourOf(text).version,
};

export type PingFlavour = 'iputils' | 'busybox' | 'unknown';

function flavourOf(text: string): { flavour: PingFlavour; version: string | undefined } {
  // "ping from iputils 20221126", before 2020 "ping utility, iputils-s20190709".
  const iputils = /iputils[- ]s?(\d{6,8})/.exec(text)?.[1];
  if (iputils) return { flavour: 'iputils', version: iputils };
  // BusyBox has no -V: it answers with its usage, which starts with its version.
  const busybox = /BusyBox v(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1];
  return busybox ? { flavour: 'busybox', version: busybox } : { flavour: 'unknown', version: undefined };
}

/** The first BusyBox whose ping has an interval (networking/ping.c, -i). */
export const BUSYBOX_OLDEST = '1.30';

/** What the host's ping can do. Unknown ones are judged as the oldest iputils. */
export interface PingCan {
  readonly flavour: PingFlavour;
  readonly version: string | undefined;
  /** Seconds. iputils refuses less to users other than root: 0.2 before 20210722, 0.002 since (ping.h, MINUSERINTERVAL). */
  readonly smallestIntervalS: number;
}

export function pingCan(host: ProbeHost): PingCan {
  const { flavour, version } = flavourOf(host.tools.ping ?? '');
  const free = host.root === true || flavour === 'busybox';
  const forUsers = flavour === 'iputils' && atLeast(version, '20210722') ? 0.002 : 0.2;
  return { flavour, version, smallestIntervalS: free ? 0.002 : forUsers };
}
