import type { HostSnapshot } from '@plumbline/model';
import { z } from 'zod';
import { type Facts, numberOf } from './facts.js';
import { countersOf, driverCountersOf, LinkStatistics } from './interface-counters.js';

const Link = z.object({
  ifname: z.string(),
  mtu: z.number().optional(),
  qdisc: z.string().optional(),
  stats64: LinkStatistics.optional(),
});
const Qdisc = z.object({
  kind: z.string(),
  handle: z.string().optional(),
  root: z.boolean().optional(),
  dev: z.string().optional(),
  drops: z.int().optional(),
  overlimits: z.int().optional(),
  requeues: z.int().optional(),
});
type Qdisc = z.output<typeof Qdisc>;

type InterfaceFacts = NonNullable<HostSnapshot['interface']>;

/** `ip -j -s -s addr`, `tc -j -s qdisc`, `ethtool -i/-k/-g/-S` and /sys/class/net of the endpoint's interface. */
export function interfaceOf(facts: Facts, name: string): InterfaceFacts {
  const link = jsonList(facts, 'cmd.ip-link', Link)?.find((candidate) => candidate.ifname === name);
  const qdiscs = jsonList(facts, 'cmd.tc-qdisc', Qdisc)?.filter(
    (qdisc) => qdisc.dev === undefined || qdisc.dev === name,
  );
  const root = qdiscs?.find((qdisc) => qdisc.root);
  const speed = numberOf(facts.text(`file./sys/class/net/${name}/speed`));
  const duplex = facts.text(`file./sys/class/net/${name}/duplex`);
  return {
    name,
    index: numberOf(facts.text('probe.ifindex')),
    mtu: link?.mtu ?? numberOf(facts.text(`file./sys/class/net/${name}/mtu`)),
    // In Mbit/s; -1 where the driver cannot tell (veth, virtio).
    speedBps: speed === undefined || speed <= 0 ? undefined : speed * 1e6,
    duplex: duplex === 'unknown' ? undefined : duplex,
    qdisc: root?.kind ?? link?.qdisc,
    driver: /^driver:\s*(\S+)/m.exec(facts.text('cmd.ethtool-driver') ?? '')?.[1],
    offloads: offloadsOf(facts.text('cmd.ethtool-features')),
    ring: ringOf(facts.text('cmd.ethtool-ring')),
    counters: countersOf(facts, name, link?.stats64),
    queue: root && queueOf(root),
    driverCounters: driverCountersOf(facts.text('cmd.ethtool-stats')),
  };
}

/** What the root discipline counted (tc-stats: drops, overlimits, requeues). `noqueue` keeps no packets and counts none. */
function queueOf({ kind, handle, drops, overlimits, requeues }: Qdisc): InterfaceFacts['queue'] {
  if (kind === 'noqueue' || drops === undefined) return undefined;
  const counters = {
    drops,
    ...(overlimits === undefined ? {} : { overlimits }),
    ...(requeues === undefined ? {} : { requeues }),
  };
  return { handle, counters };
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
