import type { HostSnapshot } from '@plumbline/model';
import { z } from 'zod';
import { type Facts, numberOf } from './facts.js';

const Counters = z.record(z.string(), z.number());
const Link = z.object({
  ifname: z.string(),
  mtu: z.number().optional(),
  qdisc: z.string().optional(),
  stats64: z.object({ rx: Counters.optional(), tx: Counters.optional() }).optional(),
});
const Qdisc = z.object({ kind: z.string(), root: z.boolean().optional(), dev: z.string().optional() });

/** `ip -j -s -s addr`, `tc -j qdisc`, `ethtool -i/-k/-g` and /sys/class/net of the endpoint's interface. */
export function interfaceOf(facts: Facts, name: string): HostSnapshot['interface'] {
  const link = jsonList(facts, 'cmd.ip-link', Link)?.find((candidate) => candidate.ifname === name);
  const qdiscs = jsonList(facts, 'cmd.tc-qdisc', Qdisc)?.filter(
    (qdisc) => qdisc.dev === undefined || qdisc.dev === name,
  );
  const speed = numberOf(facts.text(`file./sys/class/net/${name}/speed`));
  const duplex = facts.text(`file./sys/class/net/${name}/duplex`);
  return {
    name,
    mtu: link?.mtu ?? numberOf(facts.text(`file./sys/class/net/${name}/mtu`)),
    // In Mbit/s; -1 where the driver cannot tell (veth, virtio).
    speedBps: speed === undefined || speed <= 0 ? undefined : speed * 1e6,
    duplex: duplex === 'unknown' ? undefined : duplex,
    qdisc: qdiscs?.find((qdisc) => qdisc.root)?.kind ?? link?.qdisc,
    driver: /^driver:\s*(\S+)/m.exec(facts.text('cmd.ethtool-driver') ?? '')?.[1],
    offloads: offloadsOf(facts.text('cmd.ethtool-features')),
    ring: ringOf(facts.text('cmd.ethtool-ring')),
    counters: countersOf(link?.stats64, deviceCountersOf(facts.text('file./proc/net/dev'), name)),
  };
}

/** Columns of /proc/net/dev (net/core/net-procfs.c) that mean exactly what the link's own counters of that name mean. */
const DEVICE_COLUMNS: Readonly<Record<string, number>> = {
  rx_bytes: 0,
  rx_packets: 1,
  rx_errors: 2,
  rx_fifo_errors: 4,
  tx_bytes: 8,
  tx_packets: 9,
  tx_errors: 10,
  tx_dropped: 11,
  tx_fifo_errors: 12,
};

/** Read without starting a program, so before the test also where the rest is read while it begins. */
function deviceCountersOf(text: string | undefined, name: string): Record<string, number> {
  const line = text?.split('\n').find((candidate) => candidate.trimStart().startsWith(`${name}:`));
  const columns =
    line
      ?.slice(line.indexOf(`${name}:`) + name.length + 1)
      .trim()
      .split(/\s+/) ?? [];
  const numbers = Object.entries(DEVICE_COLUMNS).map(
    ([key, column]) => [key, Number(columns[column] ?? Number.NaN)] as const,
  );
  return Object.fromEntries(numbers.filter(([, value]) => Number.isSafeInteger(value)));
}

function jsonList<T extends z.ZodType>(facts: Facts, key: string, schema: T): z.output<T>[] | undefined {
  const text = facts.text(key);
  if (text === undefined) return undefined;
  const parsed = z.array(z.unknown()).safeParse(jsonOf(text));
  if (!parsed.success) return facts.misread(key, 'not a JSON list');
  return parsed.data.flatMap((entry) => {
    const one = schema.safeParse(entry);
    return one.success ? [one.data] : [];
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `rx_errors`, `rx_crc_errors`, `tx_dropped`, ... */
function countersOf(
  stats: z.output<typeof Link>['stats64'],
  device: Record<string, number>,
): Record<string, number> | undefined {
  const link = (['rx', 'tx'] as const).flatMap((way) =>
    Object.entries(stats?.[way] ?? {}).map(([key, n]) => [`${way}_${key}`, n] as const),
  );
  const counters = { ...Object.fromEntries(link), ...device };
  return Object.keys(counters).length > 0 ? counters : undefined;
}

/** Lines such as `tcp-segmentation-offload: on [fixed]`. */
function offloadsOf(text: string | undefined): Record<string, boolean> | undefined {
  const found = [...(text ?? '').matchAll(/^\s*([a-z0-9-]+): (on|off)\b/gm)];
  return found.length > 0 ? Object.fromEntries(found.map(([, name, state]) => [name, state === 'on'])) : undefined;
}

/**
 * Twice the same lines: what the ring may be, then what it is. `rxMax`, `txMax`, `rx`, `tx`, in descriptors. Told apart by their
 * order, because ethtool 6.14 and 6.15 print no headings (mended by its commit b70c9286, netlink/rings.c).
 */
function ringOf(text: string | undefined): Record<string, number> | undefined {
  const sizes: Record<string, number> = {};
  for (const way of ['RX', 'TX']) {
    const [most, now, ...more] = [...(text ?? '').matchAll(new RegExp(String.raw`^${way}:[ \t]*(\S+)$`, 'gm'))];
    if (!most || !now || more.length > 0) continue;
    for (const [key, size] of [
      [`${way.toLowerCase()}Max`, most[1]],
      [way.toLowerCase(), now[1]],
    ] as const)
      if (/^\d+$/.test(size ?? '')) sizes[key] = Number(size);
  }
  return Object.keys(sizes).length > 0 ? sizes : undefined;
}
