import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

const never = new BlockList();
never.addSubnet('0.0.0.0', 8, 'ipv4');
never.addSubnet('224.0.0.0', 4, 'ipv4');
never.addAddress('255.255.255.255', 'ipv4');
never.addAddress('::', 'ipv6');
never.addSubnet('ff00::', 8, 'ipv6');
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Addresses that no test can go to: "any" (0.0.0.0/8, ::), multicast (224.0.0.0/4, ff00::/8), broadcast. */
export const isNeverAnEndpoint = (address: string): boolean => never.check(address, familyOf(address));

/** An endpoint as the configuration has it. */
interface NamedAddress {
  readonly name: string;
  readonly address: string;
  readonly interface?: string;
}

/** What this host has now: each address by the interface that bears it, and all interfaces, also those without any. */
export interface HostAddresses {
  readonly byInterface: Readonly<Record<string, readonly string[]>>;
  readonly interfaces: readonly string[];
}

export function hostAddresses(): HostAddresses {
  const known = Object.entries(networkInterfaces());
  const byInterface = Object.fromEntries(known.map(([name, list]) => [name, (list ?? []).map((a) => a.address)]));
  return { byInterface, interfaces: [...new Set([...Object.keys(byInterface), ...interfaceNames()])] };
}

/** Of this network namespace; /sys may show another's. */
function interfaceNames(): string[] {
  try {
    const lines = readFileSync('/proc/self/net/dev', 'utf8').split('\n');
    return lines.flatMap((line) => /^\s*([^\s:]+):/.exec(line)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** What is wrong with an endpoint on this host as it is now, in a sentence with what to do; undefined: nothing. */
export function endpointWarning(
  { name, address, interface: wanted }: NamedAddress,
  has: HostAddresses,
): string | undefined {
  const next =
    'Tests from and to it will fail until that is mended: see ip address, or start the probe with another --endpoint.';
  if (wanted !== undefined && !has.interfaces.includes(wanted))
    return `Endpoint ${name}: this host has no interface ${wanted}. ${next}`;
  if (loopback.check(address, familyOf(address))) return undefined;
  const bearers = Object.keys(has.byInterface).filter((one) =>
    has.byInterface[one]?.some((text) => canonical(text) === canonical(address)),
  );
  if (bearers.length === 0) return `Endpoint ${name}: this host has no address ${address} now. ${next}`;
  if (wanted === undefined || bearers.includes(wanted)) return undefined;
  return `Endpoint ${name}: ${address} is on ${bearers.join(' and ')}, not on ${wanted}. ${next}`;
}

/** One text for all ways to write an IPv6 address (RFC 5952, as WHATWG URL writes it). */
const canonical = (address: string): string =>
  isIPv6(address) ? new URL(`http://[${address.split('%')[0]}]`).hostname : address;
