import { HostSnapshot } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { parseSnapshot, type RawFact } from './snapshot.js';

/* Field cases of docs/field-cases.md that concern what a host tells of itself. */
const at = { takenAt: '2026-11-30T16:00:00Z' };
const fact = (key: string, text: string, error?: string): RawFact => ({ key, text, ...(error ? { error } : {}) });
const parsed = (...facts: readonly RawFact[]) => parseSnapshot([fact('probe.interface', 'wan0'), ...facts], at);

describe('A63: a sysctl that a namespace does not show', () => {
  // What open(2) and sysctl(8) say in a network namespace that is not the first.
  const ERRORS = [
    "ENOENT: no such file or directory, open '/proc/sys/net/core/rmem_max'",
    'sysctl: cannot stat /proc/sys/net/core/rmem_max: No such file or directory',
  ];
  const KEYS = ['rmem_max', 'wmem_max', 'rmem_default', 'wmem_default', 'default_qdisc', 'netdev_max_backlog'];
  test.each(ERRORS)('%s: unknown here, neither 0 nor a default, and where to read it', (error) => {
    for (const key of KEYS) {
      const { sysctls, unknown } = parsed(
        fact(`sysctl.net.core.${key}`, '', error),
        fact('sysctl.net.ipv4.tcp_rmem', '4096\t131072\t6291456\n'),
      );
      expect(Object.keys(sysctls)).toEqual(['net.ipv4.tcp_rmem']);
      expect(unknown[`net.core.${key}`]).toMatch(/^not present in this network namespace; read it on the host/);
    }
  });

  test('one that may not be read has another reason', () => {
    const { unknown } = parsed(fact('sysctl.net.core.rmem_max', '', 'EACCES: permission denied'));
    expect(unknown['net.core.rmem_max']).toBe('EACCES: permission denied');
  });

  test.each(['tcp_rmem', 'tcp_wmem'])('%s: three numbers or nothing', (name) => {
    const field = name === 'tcp_rmem' ? 'tcpRmem' : 'tcpWmem';
    for (const text of ['', '4096', '4096 131072', '4096 131072 x', '4096 131072 6291456 7'])
      expect(parsed(fact(`sysctl.net.ipv4.${name}`, text))[field]).toBeUndefined();
    // A value of the namespace itself, whatever the host has.
    expect(parsed(fact(`sysctl.net.ipv4.${name}`, '4096 131072 6291456'))[field]).toEqual({
      minBytes: 4096,
      defaultBytes: 131_072,
      maxBytes: 6_291_456,
    });
  });
});

describe('A63: ethtool that is missing, or does not say', () => {
  test.each([
    'ethtool is not installed',
    'netlink error: Operation not supported',
    'Cannot get device ring settings: Operation not supported',
  ])('%s', (error) => {
    const snapshot = parsed(...['driver', 'features', 'ring'].map((what) => fact(`cmd.ethtool-${what}`, '', error)));
    expect(snapshot.interface).toEqual({ name: 'wan0' });
    expect(Object.values(snapshot.unknown)).toEqual([error, error, error]);
    expect(HostSnapshot.safeParse(snapshot).success).toBe(true);
  });

  // netlink/rings.c, rings_reply_cb, at 089cdc54 (5.x) and with TX push buffers (6.4 and later): `n/a` where a driver has none.
  const rings = (headings: readonly [string, string], gap: string) =>
    [
      ...[
        'Ring parameters for wan0:',
        headings[0],
        `RX:${gap}4096`,
        'RX Mini:\tn/a',
        'RX Jumbo:\tn/a',
        `TX:${gap}4096`,
      ],
      ...['TX push buff len:\tn/a', headings[1], `RX:${gap}512`, 'RX Mini:\tn/a', 'RX Jumbo:\tn/a', `TX:${gap}256`],
      ...['RX Buf Len:\t\tn/a', 'CQE Size:\t\tn/a', 'TX Push:\toff', 'RX Push:\toff', ''],
    ].join('\n');
  const HEADINGS = ['Pre-set maximums:', 'Current hardware settings:'] as const;
  test.each([
    ['5.x', rings(HEADINGS, '\t\t')],
    ['6.4', rings(HEADINGS, '\t\t\t')],
    ['6.14, which forgot its headings', rings(['', ''], '\t\t\t')],
  ])('rings as ethtool %s prints them', (_version, text) => {
    const { ring } = parsed(fact('cmd.ethtool-ring', text)).interface ?? {};
    expect(ring).toEqual({ rxMax: 4096, txMax: 4096, rx: 512, tx: 256 });
  });

  test('a driver without rings or with one only', () => {
    const none =
      'Ring parameters for wan0:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nCurrent hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\n';
    expect(parsed(fact('cmd.ethtool-ring', none)).interface?.ring).toBeUndefined();
    const half = none.replace('Current hardware settings:\nRX:\t\tn/a', 'Current hardware settings:\nRX:\t\t512');
    expect(parsed(fact('cmd.ethtool-ring', half)).interface?.ring).toEqual({ rx: 512 });
    // One value only: nobody knows which of the two it is.
    expect(parsed(fact('cmd.ethtool-ring', 'RX:\t\t512\n')).interface?.ring).toBeUndefined();
  });
});

describe('C15: clocks', () => {
  test('the error bound is told where the daemon tells it, and unknown is not synchronised to 0', () => {
    const chrony =
      'System time     : 120.5 seconds fast of NTP time\nRoot delay      : 0.02 seconds\nRoot dispersion : 0.001 seconds\nLeap status     : Normal';
    expect(parsed(fact('cmd.clock', chrony)).clock).toMatchObject({ synchronised: true, offsetMs: 120_500 });
    expect(parsed(fact('cmd.clock', 'NTPSynchronized=no')).clock).toEqual({
      synchronised: false,
      source: 'timedatectl',
    });
    expect(parsed(fact('cmd.clock', '', 'chronyc is not installed')).clock).toBeUndefined();
  });
});
