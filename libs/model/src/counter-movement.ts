import { z } from 'zod';

const moved = z.record(z.string(), z.number()).optional();

/**
 * How far the counters of one end moved from just before a test to just after it. They belong to the interface and the
 * network namespace, not to the test: whatever else ran there moved them as well. A group is absent when it could not be
 * compared, with its reason in `unknown`; never 0 for what nobody read.
 */
export const CounterMovement = z
  .object({
    /** When the first reading was taken; null: there is none. */
    since: z.iso.datetime().nullable(),
    until: z.iso.datetime().nullable(),
    /** `driver` and `queue` need a program, which would hold up the test: they count from here, just after its start. */
    programsSince: z.iso.datetime().optional(),
    interfaceName: z.string().optional(),
    /** Every counter of the interface that was read both times, those that did not move as 0: rx_dropped, tx_errors, ... */
    interface: moved,
    /** The interface's root queueing discipline, each counter: drops, overlimits, requeues. */
    queue: moved,
    /** The driver's own counters (`ethtool -S`), only those that moved. */
    driver: moved,
    /** The kernel's TCP counters, only those that moved: Tcp.RetransSegs, TcpExt.TCPLostRetransmit, ... */
    tcp: moved,
    /** Every UDP counter, those that did not move as 0: Udp.RcvbufErrors, Udp6.InDatagrams, ... */
    udp: moved,
    /** IP and ICMP counters, only those that moved: Ip.FragCreates, Ip.ReasmFails, Icmp.OutDestUnreachs, ... */
    ip: moved,
    /** CPU time that the host spent, and where the probe's group was held back, only what moved: cpu.softirqMs, cpu0.idleMs, group.throttledMs. */
    cpu: moved,
    /** What could not be compared, and why: a group (`interface`), or one counter (`interface.rx_dropped`). */
    unknown: z.record(z.string(), z.string()),
  })
  .meta({ id: 'CounterMovement' });
export type CounterMovement = z.output<typeof CounterMovement>;
