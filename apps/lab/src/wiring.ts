import { existsSync } from 'node:fs';
import { addNamespace, runIp, runTool } from './namespaces.js';
import { type Host, type Interface, IPV4_PREFIX, IPV6_PREFIX, LINK_PLACES, namespaceOf } from './topology.js';

/** A kernel without IPv6 gives a lab without IPv6. */
export const kernelHasIpv6 = (): boolean => existsSync('/proc/sys/net/ipv6/conf/default');

/**
 * No duplicate address detection and no router discovery: addresses work from the first packet and the links carry what
 * the test sends. Interfaces copy `default` when they are made, so this comes before the emulators.
 */
const IPV6_SETTINGS = [
  'net.ipv6.conf.all.disable_ipv6=0',
  'net.ipv6.conf.default.disable_ipv6=0',
  'net.ipv6.conf.all.accept_dad=0',
  'net.ipv6.conf.default.accept_dad=0',
  'net.ipv6.conf.default.dad_transmits=0',
  'net.ipv6.conf.default.accept_ra=0',
  'net.ipv6.conf.default.router_solicitations=0',
];
const ROUTER_SETTINGS = [
  'net.ipv4.ip_forward=1',
  'net.ipv4.conf.all.send_redirects=0',
  'net.ipv4.conf.default.send_redirects=0',
];

/** Makes a host's namespace with its loopback up and its own kernel settings. */
export async function makeHost(lab: string, host: Host): Promise<void> {
  const namespace = namespaceOf(lab, host);
  const ipv6 = kernelHasIpv6();
  await addNamespace(namespace);
  await runIp(['-n', namespace, 'link', 'set', 'lo', 'up']);
  const settings = [
    ...(ipv6 ? IPV6_SETTINGS : []),
    ...(host === 'router' ? ROUTER_SETTINGS : []),
    ...(host === 'router' && ipv6 ? ['net.ipv6.conf.all.forwarding=1'] : []),
  ];
  if (settings.length > 0) await runTool(['ip', 'netns', 'exec', namespace, 'sysctl', '-qw', ...settings]);
}

/** Gives the host's interfaces their addresses, takes them up and routes the rest of the lab through the router. */
export async function wireHost(lab: string, host: Host): Promise<void> {
  const ipv6 = kernelHasIpv6();
  const interfaces = interfacesOf(host);
  const lines = interfaces.flatMap(({ name, ipv4, ipv6: address6 }) => [
    `addr add ${ipv4}/${IPV4_PREFIX} dev ${name}`,
    ...(ipv6 ? [`addr add ${address6}/${IPV6_PREFIX} dev ${name} nodad`] : []),
    `link set ${name} up`,
  ]);
  const gateway = gatewayOf(host);
  if (gateway) {
    lines.push(`route add default via ${gateway.ipv4}`);
    if (ipv6) lines.push(`route add default via ${gateway.ipv6}`);
  }
  await runIp(['-n', namespaceOf(lab, host), '-batch', '-'], lines);
}

/** The host's interfaces, from the client's side to the server's. */
export const interfacesOf = (host: Host): Interface[] =>
  LINK_PLACES.flatMap(({ a, b }) => [a, b]).filter((side) => side.host === host);

function gatewayOf(host: Host): Interface | undefined {
  if (host === 'router') return undefined;
  const place = LINK_PLACES.find(({ a, b }) => a.host === host || b.host === host);
  return place && [place.a, place.b].find((side) => side.host === 'router');
}
