import type { Ending } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PhaseOutput, ProbeHost } from '../../ability.js';
import { rttByPing } from './index.js';
import { parsePing } from './parse.js';
import { pathMtuByPing } from './path-mtu.js';

/*
 * Field cases of docs/field-cases.md that concern ping. Forms: iputils s20161105, 20211215, 20240905 and 20250605 (ping_common.c,
 * gather_statistics and finish), BusyBox 1.30.0 and 1.36.0 (networking/ping.c, unpack_tail and print_stats_and_exit), inetutils 2.4
 * (ping/ping_common.c, ping_finish; ping/ping_echo.c, echo_finish). Numbers of our own.
 */
const iputils = (n: number, more = '') => `64 bytes from 192.0.2.2: icmp_seq=${n} ttl=64 time=1.00 ms${more}`;
const IPUTILS_HEAD = 'PING 192.0.2.2 (192.0.2.2) from 192.0.2.1 : 56(84) bytes of data.';
const STATISTICS = '--- 192.0.2.2 ping statistics ---';
const range = (n: number) => Array.from({ length: n }, (_, i) => i);

function readingOf(
  stdout: string,
  count: number,
  more: Partial<PhaseOutput> = {},
  ending: Ending = { outcome: 'completed' },
) {
  const phase = {
    end: 'near',
    name: 'ping',
    tool: 'ping',
    argv: ['ping'],
    exitCode: 0,
    signal: null,
    stderr: '',
  } as const;
  const output = { phases: [{ ...phase, stdout, ...more }], samples: [], snapshots: {}, ending };
  return rttByPing.prepare({ count, intervalS: 0.2 }).read(output);
}
const valueIn = (r: ReturnType<typeof readingOf>, name: string) =>
  r.metrics.flatMap((m) => (m.name === name ? [m.value ?? m.reason] : []))[0];

describe('A51: loss is counted, whatever is printed', () => {
  test.each([
    [40, 39, '2.5%'],
    [99, 98, '1.0101%'],
    [1001, 1000, '0.0999001%'],
    [3, 0, '100%'],
    [10_000, 9_999, '0.01%'],
    [10_000, 9_999, '1e-02%'],
    [5, 5, '-20%'],
  ])('%d sent, %d received, %s', (sent, received, printed) => {
    const lines = range(received).map((i) => iputils(i + 1));
    const summary = `${sent} packets transmitted, ${received} received, ${printed} packet loss, time 9ms`;
    const exitCode = received === 0 ? 1 : 0;
    const r = readingOf([IPUTILS_HEAD, ...lines, '', STATISTICS, summary].join('\n'), sent, { exitCode });
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'loss')).toBeCloseTo(1 - received / sent, 12);
  });
});

describe('A53: another language', () => {
  test('a decimal comma is read as a point, in every line', () => {
    fc.assert(
      fc.property(fc.nat({ max: 99_999 }), fc.nat({ max: 999 }), (whole, fraction) => {
        const rtt = `${whole},${String(fraction).padStart(3, '0')}`;
        const { replies, notes } = parsePing(
          `${IPUTILS_HEAD}\n64 bytes from 192.0.2.2: icmp_seq=1 ttl=64 time=${rtt} ms\n`,
        );
        expect(replies[0]?.rttMs).toBeCloseTo(whole + fraction / 1000, 6);
        expect(notes).toContain('a decimal comma was read as a point');
      }),
      { numRuns: 40 },
    );
  });

  test('words that are not English are no summary: what was answered is kept, and nothing is called complete', () => {
    const lines = [IPUTILS_HEAD, ...range(5).map((i) => iputils(i + 1)), '', '--- 192.0.2.2 Ping-Statistiken ---'];
    const r = readingOf([...lines, '5 Pakete uebertragen, 5 empfangen, 0% Paketverlust, Zeit 804ms'].join('\n'), 5);
    expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
    expect(r.notes.join()).toContain('5 Pakete uebertragen');
  });
});

describe('A54: other pings', () => {
  const busybox = (n: number, more = '') => `64 bytes from 192.0.2.2: seq=${n} ttl=64 time=0.833 ms${more}`;
  test('BusyBox 1.30 to 1.36: requests from 0, no deviation, duplicates in its summary', () => {
    const text = [
      'PING 192.0.2.2 (192.0.2.2) from 192.0.2.1: 56 data bytes',
      ...[busybox(0), busybox(1), busybox(1, ' (DUP!)'), '', STATISTICS],
      '3 packets transmitted, 2 packets received, 1 duplicates, 33% packet loss',
      'round-trip min/avg/max = 0.833/0.833/0.833 ms',
    ].join('\n');
    const r = readingOf(text, 3);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(r.result).toMatchObject({ sent: 3, received: 2, duplicates: 1, rttsMs: [0.833, 0.833, null] });
    expect(r.notes).toEqual([]);
  });

  test('inetutils: icmp_seq from 0, a deviation by another name', () => {
    const text = [
      'PING 192.0.2.2 (192.0.2.2): 56 data bytes',
      ...range(2).map((i) => `64 bytes from 192.0.2.2: icmp_seq=${i} ttl=64 time=0.833 ms`),
      STATISTICS,
      '2 packets transmitted, 2 packets received, 0% packet loss',
      'round-trip min/avg/max/stddev = 0.833/0.833/0.833/0.000 ms',
    ].join('\n');
    const r = readingOf(text, 2);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(r.result).toMatchObject({ sent: 2, rttsMs: [0.833, 0.833] });
  });

  test.each([
    [IPUTILS_HEAD, iputils(1, ' (truncated)')],
    [IPUTILS_HEAD, iputils(1, ' (DIFFERENT ADDRESS!)')],
    [IPUTILS_HEAD, '64 bytes from 192.0.2.2: icmp_seq=1 ident=4711 ttl=64 time=1.00 ms'],
  ])('iputils: %s, %s', (head, line) => {
    const [reply] = parsePing(`${head}\n${line}\n`).replies;
    expect(reply?.index).toBe(0);
  });

  const hostOf = (text: string): ProbeHost => ({ tools: { ping: text }, congestionControls: [], root: true });
  const busyboxHost = (version: string) =>
    hostOf(`ping: unrecognized option: V\nBusyBox v${version} (2024-01-01 00:00:00 UTC) multi-call binary.`);
  const input = { address: '192.0.2.1', peerAddress: '192.0.2.2', localPort: 1, peer: null };

  test('BusyBox gets only options that it has', () => {
    // networking/ping.c 1.30.0 to 1.36.1: OPT_STRING "qvAc:+s:t:+w:+W:+I:np:i:4" and 6; -W takes whole seconds.
    const [phase] = rttByPing.prepare({ count: 3, intervalS: 0.2 }).near(busyboxHost('1.36.1'), input);
    const flags = phase?.argv.filter((word) => /^-[a-z]/i.test(word)) ?? [];
    for (const flag of flags) expect('qvAcstwWInpi46').toContain(flag.slice(1));
    expect(phase?.argv[phase.argv.indexOf('-W') + 1]).toMatch(/^\d+$/);
  });

  test('what it cannot do is refused before: intervals before 1.30, unfragmented sizes always', () => {
    const rtt = rttByPing.prepare({ count: 3, intervalS: 0.2 });
    expect(rtt.refuses('near', busyboxHost('1.29.3'))).toMatchObject({
      reason: 'tool-too-old',
      detail: expect.stringContaining('1.30'),
    });
    for (const version of ['1.30.0', '1.31.1', '1.36.1'])
      expect(rtt.refuses('near', busyboxHost(version))).toBeUndefined();
    const mtu = pathMtuByPing.prepare({ sizesBytes: [100, 1500] });
    for (const host of [busyboxHost('1.36.1'), hostOf('ping (GNU inetutils) 2.4')])
      expect(mtu.refuses('near', host)).toMatchObject({
        reason: 'parameter-unsupported',
        detail: expect.stringContaining('iputils-ping'),
      });
  });

  test.each([
    ["ping: invalid number '0.2'\n", 'parameter-unsupported'],
    ["ping: invalid option -- 'I'\nTry 'ping --help' for more information.\n", 'tool-too-old'],
    ['ping: unrecognized option: i\nBusyBox v1.29.3 () multi-call binary.\n', 'tool-too-old'],
    ['ping: sendto: Network unreachable\n', 'no-route'],
    ['ping: permission denied (are you root?)\n', 'tool-failed'],
    ['ping: bind: Cannot assign requested address\n', 'local-address-unavailable'],
  ])('its complaint %j is %s (C23)', (stderr, reason) => {
    expect(readingOf('', 3, { stderr, exitCode: 1 }).ending).toMatchObject({ reason });
  });
});

describe('A55: nothing came back', () => {
  const lost = (tail: string) =>
    [IPUTILS_HEAD, '', STATISTICS, '4 packets transmitted, 0 received, 100% packet loss, time 3060ms', tail].join('\n');
  test.each(['', 'pipe 4', ', pipe 4', '\n'])('no line of round trips but %j', (tail) => {
    const toolFailed: Ending = { outcome: 'failed', reason: 'tool-failed' };
    const r = readingOf(lost(tail), 4, { exitCode: 1 }, toolFailed);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect([valueIn(r, 'loss'), valueIn(r, 'rtt.min'), valueIn(r, 'rtt.mean')]).toEqual([1, 'no-reply', 'no-reply']);
  });

  test('exit code 1 with some replies (-w) and 0 with some losses are both counted', () => {
    for (const exitCode of [0, 1]) {
      const text = [
        IPUTILS_HEAD,
        iputils(1),
        '',
        STATISTICS,
        '4 packets transmitted, 1 received, 75% packet loss, time 3060ms',
      ];
      const r = readingOf(text.join('\n'), 4, { exitCode });
      expect(r.ending).toEqual({ outcome: 'completed' });
      expect(valueIn(r, 'loss')).toBe(0.75);
    }
  });

  test('an exit code that says more than silence is a failure', () => {
    expect(readingOf(lost(''), 4, { exitCode: 2 }).ending).toMatchObject({ reason: 'tool-failed' });
  });
});
