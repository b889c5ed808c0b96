import { HostSnapshot } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSnapshot, type RawFact } from './snapshot.js';

const at = { takenAt: '2026-11-30T16:00:00Z' };
const fact = (key: string, text: string, error?: string): RawFact => ({ key, text, ...(error ? { error } : {}) });

/** Read on Debian 12, Linux 6.18, iproute2 6.1.0; the interface's counters are of our own. */
const facts = [
  fact('probe.interface', 'veth0'),
  fact('cmd.uname', 'Linux vm 6.18.44-fc-v782 #1 SMP PREEMPT_DYNAMIC @0 x86_64'),
  fact('cmd.nproc', '2\n'),
  fact('file./proc/loadavg', '14.59 12.35 7.77 1/400 999\n'),
  fact('file./proc/uptime', '3812.50 5000.00\n'),
  fact('sysctl.net.ipv4.tcp_rmem', '4096\t131072\t851968\n'),
  fact('sysctl.net.ipv4.tcp_wmem', '4096 16384'),
  fact('sysctl.net.ipv4.tcp_congestion_control', 'bbr\n'),
  fact('sysctl.net.ipv4.tcp_available_congestion_control', 'reno cubic bbr\n'),
  fact('sysctl.net.core.rmem_max', '', "ENOENT: no such file or directory, open '/proc/sys/net/core/rmem_max'"),
  fact(
    'cmd.ip-link',
    JSON.stringify([
      {
        ifname: 'veth0',
        mtu: 1500,
        qdisc: 'noqueue',
        stats64: { rx: { bytes: 5, errors: 1, crc_errors: 1 }, tx: { dropped: 2 } },
        addr_info: [],
      },
    ]),
  ),
  fact('cmd.tc-qdisc', '[{"kind":"fq","handle":"0:","root":true,"options":{}}]'),
  fact('file./sys/class/net/veth0/speed', '10000\n'),
  fact('file./sys/class/net/veth0/duplex', 'full\n'),
  fact('cmd.ethtool-driver', 'driver: veth\nversion: 1.0\n'),
  fact(
    'cmd.ethtool-features',
    'Features for veth0:\nrx-checksumming: on\n\ttx-checksum-ipv4: off [fixed]\ntcp-segmentation-offload: off\n',
  ),
  fact(
    'cmd.ethtool-ring',
    'Ring parameters for eth0:\nPre-set maximums:\nRX:\t\t4096\nRX Mini:\tn/a\nTX:\t\t4096\nCurrent hardware settings:\nRX:\t\t512\nTX:\t\t256\n',
  ),
  fact('cmd.tcp-metrics', '192.0.2.2 age 23.068sec cwnd 181 rtt 7755us rttvar 11500us source 192.0.2.1\n'),
  fact('cmd.clock', '', 'chronyc is not installed'),
  fact(
    'file./proc/net/snmp',
    'Ip: Forwarding DefaultTTL\nIp: 2 64\nTcp: RtoAlgorithm MaxConn RetransSegs\nTcp: 1 -1 42\n',
  ),
  fact(
    'file./proc/net/netstat',
    'TcpExt: SyncookiesSent TCPLostRetransmit\nTcpExt: 0 7\nIpExt: InNoRoutes\nIpExt: 0\n',
  ),
  fact('tool.iperf3', 'iperf 3.12 (cJSON 1.7.15)'),
];

test('facts of a host', () => {
  const snapshot = parseSnapshot(facts, at);
  expect(snapshot).toMatchObject({
    kernel: '6.18.44-fc-v782',
    architecture: 'x86_64',
    hostname: 'vm',
    cpuCount: 2,
    load1: 14.59,
    uptimeS: 3812.5,
    tools: { iperf3: 'iperf 3.12 (cJSON 1.7.15)' },
    tcpRmem: { minBytes: 4096, defaultBytes: 131072, maxBytes: 851968 },
    congestionControl: 'bbr',
    congestionControlsAvailable: ['reno', 'cubic', 'bbr'],
    cachedTcpMetrics: { age: '23.068sec', cwnd: '181', rtt: '7755us', rttvar: '11500us', source: '192.0.2.1' },
    tcpCounters: { 'Tcp.RetransSegs': 42, 'TcpExt.SyncookiesSent': 0, 'TcpExt.TCPLostRetransmit': 7 },
    interface: {
      name: 'veth0',
      mtu: 1500,
      speedBps: 10e9,
      duplex: 'full',
      qdisc: 'fq',
      driver: 'veth',
      offloads: { 'rx-checksumming': true, 'tx-checksum-ipv4': false, 'tcp-segmentation-offload': false },
      ring: { rxMax: 4096, txMax: 4096, rx: 512, tx: 256 },
      counters: { rx_bytes: 5, rx_errors: 1, rx_crc_errors: 1, tx_dropped: 2 },
    },
  });
  expect(HostSnapshot.safeParse(snapshot).success).toBe(true);
});

describe('what is not known', () => {
  test('a sysctl that this namespace does not show is unknown, neither 0 nor a default (A63)', () => {
    const { sysctls, unknown } = parseSnapshot(facts, at);
    expect(sysctls).not.toHaveProperty('net.core.rmem_max');
    expect(unknown['net.core.rmem_max']).toMatch(/not present in this network namespace; read it on the host/);
    expect(unknown['cmd.clock']).toBe('chronyc is not installed');
  });

  test('a text that is not what it should be', () => {
    const { tcpWmem, unknown } = parseSnapshot(facts, at);
    expect(tcpWmem).toBeUndefined();
    expect(unknown['net.ipv4.tcp_wmem']).toMatch(/not three numbers/);
    expect(parseSnapshot([fact('cmd.ip-link', '{oops'), fact('probe.interface', 'eth0')], at)).toMatchObject({
      interface: { name: 'eth0' },
      unknown: { 'cmd.ip-link': 'not a JSON list' },
    });
  });

  test('a speed of -1 and a bare namespace', () => {
    const veth = parseSnapshot([fact('probe.interface', 'v'), fact('file./sys/class/net/v/speed', '-1')], at);
    expect(veth.interface?.speedBps).toBeUndefined();
    expect(parseSnapshot([], at)).toEqual({ takenAt: at.takenAt, tools: {}, sysctls: {}, unknown: {} });
  });
});

describe('the clock', () => {
  const clock = (text: string) => parseSnapshot([fact('cmd.clock', text)], at).clock;

  test.each([
    // chronyc(1), timedatectl(1), ntpq(8): their formats, numbers of our own.
    [
      'chrony, slow',
      'System time     : 0.000012345 seconds slow of NTP time\nRoot delay      : 0.020000000 seconds\nRoot dispersion : 0.001000000 seconds\nLeap status     : Normal',
      { synchronised: true, source: 'chrony', offsetMs: -0.012345, maxErrorMs: 11 },
    ],
    ['chrony, lost', 'Leap status     : Not synchronised', { synchronised: false, source: 'chrony' }],
    ['timedatectl', 'Timezone=Etc/UTC\nNTP=yes\nNTPSynchronized=yes', { synchronised: true, source: 'timedatectl' }],
    [
      'ntpq',
      'associd=0 status=0615 leap_none, sync_ntp,\nrootdelay=20.1, rootdisp=5.5, offset=-0.25',
      { synchronised: true, source: 'ntpd', offsetMs: -0.25, maxErrorMs: 5.5 },
    ],
  ])('%s', (_name, text, expected) => {
    const read = clock(text);
    expect(read).toMatchObject({ synchronised: expected.synchronised, source: expected.source });
    if ('offsetMs' in expected) expect(read?.offsetMs).toBeCloseTo(expected.offsetMs ?? 0, 9);
    if ('maxErrorMs' in expected) expect(read?.maxErrorMs).toBeCloseTo(expected.maxErrorMs ?? 0, 9);
  });

  test('something else is said to be unknown', () => {
    expect(clock('hello')).toBeUndefined();
  });
});

test('no text makes it throw or breaks its form', () => {
  const keys = fc.constantFrom(...facts.map(({ key }) => key));
  fc.assert(
    fc.property(fc.array(fc.tuple(keys, fc.oneof(fc.string(), fc.json())), { maxLength: 8 }), (list) => {
      const snapshot = parseSnapshot([fact('probe.interface', 'x'), ...list.map(([key, text]) => fact(key, text))], at);
      expect(HostSnapshot.safeParse(JSON.parse(JSON.stringify(snapshot))).success).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('counters of the device file hold over those that a program read later', () => {
  const dev = [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '  wan0: 1000 10 1 2 3 4 0 0 2000 20 5 6 7 0 8 0',
    '   wan01: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9',
  ].join('\n');
  const link = [{ ifname: 'wan0', mtu: 1500, stats64: { rx: { bytes: 5000, crc_errors: 2 }, tx: { packets: 99 } } }];
  const fact = (key: string, text: string) => ({ key, source: '', text, error: '' });
  const facts = [
    fact('probe.interface', 'wan0'),
    fact('file./proc/net/dev', dev),
    fact('cmd.ip-link', JSON.stringify(link)),
  ];
  const { counters } = parseSnapshot(facts, { takenAt: new Date(0).toISOString() }).interface ?? {};
  expect(counters).toMatchObject({ rx_bytes: 1000, rx_errors: 1, rx_fifo_errors: 3, tx_packets: 20, tx_dropped: 6 });
  expect(counters).toMatchObject({ rx_crc_errors: 2 });
});
