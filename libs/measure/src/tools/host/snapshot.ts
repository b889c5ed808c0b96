import type { HostSnapshot } from '@plumbline/model';
import { clockOf } from './clock.js';
import { ipCountersOf, tcpCountersOf, udpCountersOf } from './counters.js';
import { cpuCountersOf, cpuQuotaOf } from './cpu.js';
import { type Facts, numberOf } from './facts.js';
import { interfaceOf } from './interface.js';

/**
 * One file or command of a probe's snapshot, as the probe read it. Keys: `sysctl.<dotted name>`, `cmd.<name>`,
 * `file.<path>`, `tool.<program>`, `probe.interface` (apps/probe/src/host/snapshot.ts lists them). `error` says why it could not be read.
 */
export interface RawFact {
  readonly key: string;
  readonly text: string;
  readonly error?: string;
}

/**
 * Raw facts of a host, typed. What could not be read stays absent, with its key in `unknown`: a sysctl that this network
 * namespace does not show is unknown here, neither 0 nor the kernel's default. Never throws.
 */
export function parseSnapshot(
  raw: readonly RawFact[],
  context: { readonly takenAt: string; readonly interface?: string },
): HostSnapshot {
  const unknown: Record<string, string> = {};
  const texts = new Map<string, string>();
  for (const { key, text, error } of raw) {
    if (error) unknown[publicName(key)] = reasonOf(key, error);
    else if (text.trim() === '') unknown[publicName(key)] = 'it was empty';
    else texts.set(key, text.trim());
  }
  const misread = (key: string, why: string): undefined => {
    unknown[publicName(key)] = why;
  };
  const facts: Facts = { text: (key) => texts.get(key), keys: [...texts.keys()], misread };
  const device = context.interface ?? facts.text('probe.interface');
  const triple = (name: string) => tripleOf(facts, name);
  return {
    takenAt: context.takenAt,
    ...machineOf(facts),
    tools: startingWith(texts, 'tool.'),
    tcpRmem: triple('net.ipv4.tcp_rmem'),
    tcpWmem: triple('net.ipv4.tcp_wmem'),
    congestionControl: facts.text('sysctl.net.ipv4.tcp_congestion_control'),
    congestionControlsAvailable: facts.text('sysctl.net.ipv4.tcp_available_congestion_control')?.split(/\s+/),
    sysctls: startingWith(texts, 'sysctl.'),
    interface: device === undefined ? undefined : interfaceOf(facts, device),
    clock: clockOf(facts),
    cachedTcpMetrics: cachedMetricsOf(facts.text('cmd.tcp-metrics')),
    tcpCounters: tcpCountersOf(facts),
    udpCounters: udpCountersOf(facts),
    ipCounters: ipCountersOf(facts),
    cpuCounters: cpuCountersOf(facts),
    cpuQuota: cpuQuotaOf(facts),
    unknown,
  };
}

const publicName = (key: string): string => key.replace(/^sysctl\./, '');

function reasonOf(key: string, error: string): string {
  const absent = /ENOENT|no such file|cannot stat/i.test(error);
  return absent && key.startsWith('sysctl.net.')
    ? `not present in this network namespace; read it on the host (${error})`
    : error;
}

const startingWith = (texts: ReadonlyMap<string, string>, prefix: string): Record<string, string> =>
  Object.fromEntries(
    [...texts].flatMap(([key, text]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), text]] : [])),
  );

function tripleOf(facts: Facts, name: string): HostSnapshot['tcpRmem'] {
  const text = facts.text(`sysctl.${name}`);
  if (text === undefined) return undefined;
  const [minBytes, defaultBytes, maxBytes, ...more] = text.split(/\s+/).map(Number);
  const whole = [minBytes, defaultBytes, maxBytes].every((value) => Number.isSafeInteger(value));
  if (!whole || more.length > 0) return facts.misread(`sysctl.${name}`, `not three numbers: ${text}`);
  return { minBytes: minBytes ?? 0, defaultBytes: defaultBytes ?? 0, maxBytes: maxBytes ?? 0 };
}

/** uname(1) -a, /proc/cpuinfo, /proc/loadavg, /proc/uptime (proc(5)). */
function machineOf(facts: Facts): Partial<HostSnapshot> {
  const words = facts.text('cmd.uname')?.split(/\s+/) ?? [];
  const processors = facts.text('file./proc/cpuinfo')?.match(/^processor\s*:/gm)?.length;
  return {
    hostname: words[0] === 'Linux' ? words[1] : undefined,
    kernel: words.find((word) => /^\d+\.\d+/.test(word)),
    architecture: words.findLast((word) => /^(x86_64|i\d86|aarch64|arm\w*|riscv\w*|ppc\w*|s390x|mips\w*)$/.test(word)),
    cpuCount: numberOf(facts.text('cmd.nproc')) ?? processors,
    load1: numberOf(facts.text('file./proc/loadavg')),
    uptimeS: numberOf(facts.text('file./proc/uptime')),
  };
}

/** `ip tcp_metrics show PEER`: an address, then words in pairs (ip-tcp_metrics(8)). Nothing remembered is an empty record. */
function cachedMetricsOf(text: string | undefined): Record<string, string> | undefined {
  const words = text?.split('\n')[0]?.trim().split(/\s+/).slice(1);
  if (!words) return undefined;
  const pairs = words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}
