import { z } from 'zod';

const text = z.string().optional();
const count = z.number().optional();
const counts = z.record(z.string(), z.number()).optional();

/** Three values of `tcp_rmem` or `tcp_wmem` (ip-sysctl.rst): minimum, default, maximum, in bytes. */
export const BufferTriple = z.object({ minBytes: z.number(), defaultBytes: z.number(), maxBytes: z.number() });

export const InterfaceFacts = z.object({
  name: z.string(),
  /** The kernel's number of the interface: another one under the same name is another interface. */
  index: count,
  mtu: count,
  speedBps: count,
  duplex: text,
  qdisc: text,
  driver: text,
  offloads: z.record(z.string(), z.boolean()).optional(),
  ring: z.record(z.string(), z.number()).optional(),
  /**
   * Cumulative counters of the interface: rx_errors, rx_dropped, tx_errors, rx_fifo_errors, rx_crc_errors, ... Where /sys shows
   * another network namespace only sums are known: rx_dropped_or_missed, rx_framing_errors (length, over, CRC, frame).
   */
  counters: counts,
  /** The root queueing discipline, as long as it keeps its handle: drops, overlimits, requeues. */
  queue: z.object({ handle: text, counters: z.record(z.string(), z.number()) }).optional(),
  /** `ethtool -S`: the driver's own names, rings and queues among them. */
  driverCounters: counts,
});

/** Facts of a host when a step ran. Missing is absent, with its key in `unknown`; never 0. */
export const HostSnapshot = z
  .object({
    takenAt: z.iso.datetime(),
    /** When what needs a program was read (queue, driverCounters, offloads, route, clock). Absent: at `takenAt`. */
    programsTakenAt: z.iso.datetime().optional(),
    kernel: text,
    architecture: text,
    hostname: text,
    cpuCount: count,
    load1: count,
    uptimeS: count,
    tools: z.record(z.string(), z.string()),
    /** `tcp_rmem`, `tcp_wmem`, in bytes. */
    tcpRmem: BufferTriple.optional(),
    tcpWmem: BufferTriple.optional(),
    congestionControl: text,
    congestionControlsAvailable: z.array(z.string()).optional(),
    /** Other sysctls by their dotted name, as text. */
    sysctls: z.record(z.string(), z.string()),
    interface: InterfaceFacts.optional(),
    clock: z
      .object({ synchronised: z.boolean().optional(), source: text, offsetMs: count, maxErrorMs: count })
      .optional(),
    /** `ip tcp_metrics` of the peer: what the kernel remembers of earlier connections. */
    cachedTcpMetrics: z.record(z.string(), z.string()).optional(),
    /** Kernel TCP counters (/proc/net/snmp, /proc/net/netstat), cumulative. */
    tcpCounters: counts,
    /** The same of UDP: Udp.RcvbufErrors, Udp6.InErrors, ... */
    udpCounters: counts,
    /** Of IP and ICMP: Ip.FragCreates, Ip.ReasmFails, Icmp.InDestUnreachs, Ip6.FragOKs, ... */
    ipCounters: counts,
    /**
     * What the host's CPUs spent, ms since its start, all together (`cpu.idleMs`, `cpu.softirqMs`) and each (`cpu0.idleMs`); and how
     * often and how long the probe's own group was held back by its quota (`group.throttledPeriods`, `group.throttledMs`).
     */
    cpuCounters: counts,
    /** How many CPUs' worth of time the probe's own group may use (cgroups(7)). Absent: unlimited, or unknown. */
    cpuQuota: count,
    /** What could not be read, and why: {"net.core.rmem_max": "not present in this network namespace"}. */
    unknown: z.record(z.string(), z.string()),
  })
  .meta({ id: 'HostSnapshot' });
export type HostSnapshot = z.output<typeof HostSnapshot>;
