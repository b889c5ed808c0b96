import { CounterMovement, type HostSnapshot } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { counterMovement } from './movement.js';
import { parseSnapshot } from './snapshot.js';

const fact = (key: string, text: string) => ({ key, text });

/** Files as Linux 6.18 shows them (columns of net/core/net-procfs.c and net/ipv4/proc.c); the numbers are our own. */
function hostAt(
  minute: number,
  numbers: { dropped?: number; retransmitted?: number; rcvbuf?: number; index?: number },
) {
  const { dropped = 0, retransmitted = 0, rcvbuf = 0, index = 7 } = numbers;
  const folder = 'file./sys/class/net/wan0';
  return parseSnapshot(
    [
      fact('probe.interface', 'wan0'),
      fact('probe.ifindex', `${index}`),
      fact('file./proc/uptime', `${1000 + minute * 60}.10 5.0`),
      fact('file./proc/net/dev', `  wan0: 1000 ${minute} 0 ${dropped} 0 0 0 0 2000 20 5 6 7 0 8 0`),
      fact(`${folder}/statistics/rx_dropped`, `${dropped}\n`),
      fact(`${folder}/statistics/rx_crc_errors`, '0\n'),
      fact(`${folder}/carrier_changes`, '2\n'),
      fact(
        'file./proc/net/snmp',
        `Tcp: MaxConn RetransSegs CurrEstab OutSegs\nTcp: -1 ${retransmitted} 3 9\nUdp: RcvbufErrors\nUdp: ${rcvbuf}`,
      ),
      fact('file./proc/net/snmp6', 'Ip6InReceives 4\nUdp6InErrors   \t0\n'),
    ],
    { takenAt: `2026-11-30T16:0${minute}:00.000Z` },
  );
}
const between = (before: Parameters<typeof hostAt>[1], after: Parameters<typeof hostAt>[1]) =>
  counterMovement(hostAt(0, before), hostAt(1, after));

test('what moved, and what was read and did not', () => {
  const movement = between({ dropped: 5, retransmitted: 40 }, { dropped: 17, retransmitted: 42, rcvbuf: 3 });
  expect(movement).toMatchObject({
    since: '2026-11-30T16:00:00.000Z',
    until: '2026-11-30T16:01:00.000Z',
    interfaceName: 'wan0',
    interface: { rx_dropped: 12, rx_crc_errors: 0, rx_packets: 1, tx_errors: 0, tx_carrier_changes: 0 },
    udp: { 'Udp.RcvbufErrors': 3, 'Udp6.InErrors': 0 },
  });
  // Those of TCP that did not move are left out, and so are settings and gauges.
  expect(movement.tcp).toEqual({ 'Tcp.RetransSegs': 2 });
  expect(CounterMovement.parse(movement)).toEqual(movement);
});

describe('not known is not zero', () => {
  const groups = ['cpu', 'driver', 'interface', 'ip', 'queue', 'tcp', 'udp'];
  test('without one of the snapshots', () => {
    for (const movement of [counterMovement(undefined, hostAt(1, {})), counterMovement(hostAt(0, {}), undefined)]) {
      expect(Object.keys(movement.unknown).sort()).toEqual(groups);
      expect(movement.interface).toBeUndefined();
      expect(movement.tcp).toBeUndefined();
    }
  });

  test('an interface that was made anew: its counters began again', () => {
    const movement = between({ dropped: 5, index: 7 }, { dropped: 900, index: 9 });
    expect(movement.interface).toBeUndefined();
    expect(movement.unknown.interface).toBe('wan0 was made anew in between (number 7, then 9)');
    expect(movement.tcp).toEqual({});
  });

  test('a restarted host', () => {
    const movement = counterMovement(hostAt(5, { retransmitted: 1 }), hostAt(0, { retransmitted: 2 }));
    expect(movement.unknown).toMatchObject({ tcp: 'the host restarted in between', interface: expect.anything() });
  });

  test('counters that were set to zero: none of the group is known', () => {
    const movement = between({ dropped: 50, retransmitted: 9 }, { dropped: 3, retransmitted: 9 });
    expect(movement.interface).toBeUndefined();
    expect(movement.unknown.interface).toMatch(/set to zero in between \(rx_dropped went back from 50 to 3\)/);
  });

  test('what was read only once', () => {
    const late: HostSnapshot = hostAt(1, {});
    const more = { ...late.interface?.counters, rx_otherhost_dropped: 4 };
    const movement = counterMovement(hostAt(0, {}), { ...late, interface: { name: 'wan0', index: 7, counters: more } });
    expect(movement.interface).not.toHaveProperty('rx_otherhost_dropped');
    expect(movement.unknown['interface.rx_otherhost_dropped']).toBe('it was not read before the test');
  });
});

test('a counter of 32 bits that wrapped goes on', () => {
  expect(between({ dropped: 2 ** 32 - 10 }, { dropped: 5 }).interface).toMatchObject({ rx_dropped: 15 });
  // More than 32 bits do not wrap there.
  expect(between({ dropped: 2 ** 32 + 10 }, { dropped: 5 }).interface).toBeUndefined();
});

describe('what needs a program', () => {
  const withQueue = (handle: string, drops: number, stats: string, qdisc = 'tbf') =>
    parseSnapshot(
      [
        fact('probe.interface', 'wan0'),
        fact('cmd.tc-qdisc', JSON.stringify([{ kind: qdisc, handle, root: true, drops, overlimits: 8, requeues: 0 }])),
        fact('cmd.ethtool-stats', stats),
      ],
      { takenAt: '2026-11-30T16:00:00.000Z' },
    );
  // Format of ethtool 6.1's `-S` on a veth pair.
  const stats = (drops: number, level: number) =>
    `NIC statistics:\n     peer_ifindex: 3\n     rx_queue_0_drops: ${drops}\n     level: ${level}\n`;

  test('drops of the queue, and counters of the driver', () => {
    const before = { ...withQueue('8001:', 2, stats(4, 9)), programsTakenAt: '2026-11-30T16:00:00.500Z' };
    expect(counterMovement(before, withQueue('8001:', 30, stats(5, 3)))).toMatchObject({
      programsSince: '2026-11-30T16:00:00.500Z',
      queue: { drops: 28, overlimits: 0, requeues: 0 },
      driver: { rx_queue_0_drops: 1 },
      unknown: { 'driver.level': 'it went back from 9 to 3' },
    });
  });
  test('another discipline in its place counts anew', () => {
    const movement = counterMovement(withQueue('8001:', 2, stats(0, 0)), withQueue('8002:', 30, stats(0, 0)));
    expect(movement.queue).toBeUndefined();
    expect(movement.unknown.queue).toMatch(/replaced/);
  });
  test('no queue, no drops of it', () => {
    const none = withQueue('0:', 0, stats(0, 0), 'noqueue');
    expect(counterMovement(none, none).unknown.queue).toBe('the interface has no queue (noqueue)');
  });
});

test('whatever two snapshots hold, no number is negative or none', () => {
  const counters = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(), { maxKeys: 3 });
  fc.assert(
    fc.property(counters, counters, (one, two) => {
      const host = (of: Record<string, number>): HostSnapshot => ({ ...hostAt(0, {}), tcpCounters: of });
      const { tcp = {}, unknown } = counterMovement(host(one), host(two));
      for (const value of Object.values(tcp)) expect(value).toBeGreaterThan(0);
      for (const name of Object.keys(two))
        if (!(name in one) && !unknown.tcp) expect(unknown).toHaveProperty(`tcp.${name}`);
    }),
    { numRuns: 300 },
  );
});
