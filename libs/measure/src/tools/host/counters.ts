import type { Facts } from './facts.js';

const FILES = ['file./proc/net/snmp', 'file./proc/net/netstat'];
const PROTOCOLS = new Set(['Tcp', 'TcpExt']);

/** Tcp of /proc/net/snmp and TcpExt of /proc/net/netstat: a line of names, then one of values. `Tcp.RetransSegs`, ... */
export function tcpCountersOf(facts: Facts): Record<string, number> | undefined {
  const counters: Record<string, number> = {};
  for (const key of FILES) {
    const lines = facts.text(key)?.split('\n') ?? [];
    for (const [i, line] of lines.entries()) {
      const [protocol = '', ...names] = line.trim().split(/\s+/);
      const [again, ...values] = lines[i + 1]?.trim().split(/\s+/) ?? [];
      const name = protocol.replace(/:$/, '');
      if (!PROTOCOLS.has(name) || again !== protocol || /^-?\d+$/.test(names[0] ?? '')) continue;
      names.forEach((field, n) => {
        const value = Number(values[n] ?? Number.NaN);
        if (Number.isSafeInteger(value)) counters[`${name}.${field}`] = value;
      });
    }
  }
  return Object.keys(counters).length > 0 ? counters : undefined;
}
