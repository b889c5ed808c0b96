import type { Facts } from './facts.js';

type Counters = Record<string, number> | undefined;

/** Of /proc/net/snmp's Tcp (RFC 4022): settings and a gauge, not counters. */
const NO_COUNTERS = new Set(['Tcp.RtoAlgorithm', 'Tcp.RtoMin', 'Tcp.RtoMax', 'Tcp.MaxConn', 'Tcp.CurrEstab']);

/** Tcp of /proc/net/snmp and TcpExt of /proc/net/netstat: `Tcp.RetransSegs`, `TcpExt.TCPLostRetransmit`, ... */
export function tcpCountersOf(facts: Facts): Counters {
  const read = {
    ...tableOf(facts.text('file./proc/net/snmp'), 'Tcp'),
    ...tableOf(facts.text('file./proc/net/netstat'), 'TcpExt'),
  };
  return some(Object.entries(read).filter(([name]) => !NO_COUNTERS.has(name)));
}

/** Udp of /proc/net/snmp and Udp6 of /proc/net/snmp6: `Udp.RcvbufErrors`, `Udp6.InDatagrams`, ... */
export function udpCountersOf(facts: Facts): Counters {
  const six = [...(facts.text('file./proc/net/snmp6') ?? '').matchAll(/^Udp6(\w+)\s+(\d+)$/gm)].map(
    ([, name = '', value]) => [`Udp6.${name}`, Number(value)] as const,
  );
  return some([...Object.entries(tableOf(facts.text('file./proc/net/snmp'), 'Udp')), ...six]);
}

/** Ip and Icmp of /proc/net/snmp, Ip6 and Icmp6 of /proc/net/snmp6: `Ip.FragCreates`, `Ip6.ReasmFails`, ... (RFC 4293) */
export function ipCountersOf(facts: Facts): Counters {
  const six = [...(facts.text('file./proc/net/snmp6') ?? '').matchAll(/^(Ip6|Icmp6)([A-Z]\w+)\s+(\d+)$/gm)].map(
    ([, protocol = '', name = '', value]) => [`${protocol}.${name}`, Number(value)] as const,
  );
  const snmp = facts.text('file./proc/net/snmp');
  const four = Object.entries({ ...tableOf(snmp, 'Ip'), ...tableOf(snmp, 'Icmp') });
  return some([...four, ...six].filter(([name]) => !SETTINGS.has(name)));
}
const SETTINGS = new Set(['Ip.Forwarding', 'Ip.DefaultTTL']);

/** One protocol of a file that has a line of names, then one of values (net/ipv4/proc.c). */
function tableOf(text: string | undefined, protocol: string): Record<string, number> {
  const lines = (text?.split('\n') ?? []).map((line) => line.trim().split(/\s+/));
  const [names, values] = lines.filter(([first]) => first === `${protocol}:`);
  const counters: Record<string, number> = {};
  for (const [i, name] of (names ?? []).entries()) {
    const value = Number(values?.[i] ?? Number.NaN);
    if (i > 0 && Number.isSafeInteger(value)) counters[`${protocol}.${name}`] = value;
  }
  return counters;
}

const some = (entries: readonly (readonly [string, number])[]): Counters => {
  const known = entries.filter(([, value]) => Number.isSafeInteger(value));
  return known.length > 0 ? Object.fromEntries(known) : undefined;
};
