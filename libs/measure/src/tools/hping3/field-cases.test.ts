import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReachabilitySpec } from '../../measurements/reachability/index.js';
import { RttSpec } from '../../measurements/rtt/index.js';
import { outputOf, type Recording, valueIn } from '../../test-support/reading.js';
import { parseHping } from './parse.js';
import { readReachability } from './reachability.js';
import { readRttBySyn } from './rtt.js';

/* Field cases of docs/field-cases.md that concern hping3. Forms: waitpacket.c, logicmp.c, statistics.c of github.com/antirez/hping, numbers of our own. */
const completed = { ending: { outcome: 'completed' as const } };
const program = (lines: readonly string[], summary: string): Recording => ({
  source: 'forms of waitpacket.c, logicmp.c and statistics.c; own numbers',
  phases: [
    {
      ...({ end: 'near', name: 'syn', tool: 'hping3', argv: [], exitCode: 0, signal: null } as const),
      stdout: ['HPING 192.0.2.66 (wan0 192.0.2.66): S set, 40 headers + 0 data bytes', ...lines, ''].join('\n'),
      stderr: `\n--- 192.0.2.66 hping statistic ---\n${summary}\nround-trip min/avg/max = 0.0/0.0/0.0 ms\n`,
    },
  ],
});
const answer = (seq: number, flags: string) =>
  `len=44 ip=192.0.2.66 ttl=63 DF id=0 sport=80 flags=${flags} seq=${seq} win=64240 rtt=7.8 ms`;
const summary = (sent: number, received: number, loss: string, spelling = 'tramitted') =>
  `${sent} packets ${spelling}, ${received} packets received, ${loss} packet loss`;

describe('A48: only an answer of the port is one', () => {
  // logicmp.c, log_icmp_unreach and log_icmp_timeexc.
  test.each([
    'ICMP Port Unreachable from ip=192.0.2.1',
    'ICMP Host Unreachable from ip=192.0.2.1',
    'ICMP Packet filtered from ip=192.0.2.1',
    'TTL 0 during transit from ip=192.0.2.1',
    'TTL 0 during reassembly from ip=192.0.2.1',
  ])('%s is an error, although the summary counts it as received', (line) => {
    const lines = Array.from({ length: 10 }, () => line);
    const recording = program(lines, summary(10, 10, '0%'));
    const r = readReachability(ReachabilitySpec.parse({ port: 80, count: 10 }), outputOf(recording, completed));
    expect(['port.open', 'port.closed', 'port.rejected'].map((name) => valueIn(r, name))).toEqual([0, 0, 1]);
    const rtt = readRttBySyn(RttSpec.parse({ count: 10, intervalS: 0.1 }), outputOf(recording, completed));
    expect([valueIn(rtt, 'loss'), valueIn(rtt, 'rtt.min')]).toEqual([1, 'no-reply']);
  });

  test.each([
    ['SA', [1, 0]],
    ['RA', [0, 1]],
    ['R', [0, 1]],
    ['SAP', [1, 0]],
  ])('flags %s', (flags, expected) => {
    const recording = program([answer(0, flags)], summary(1, 1, '0%'));
    const r = readReachability(ReachabilitySpec.parse({ port: 80, count: 1 }), outputOf(recording, completed));
    expect(['port.open', 'port.closed'].map((name) => valueIn(r, name))).toEqual(expected);
  });
});

describe('A49: the summary tells how many were sent, and nothing else', () => {
  test.each([
    ['tramitted', '-20%'],
    ['transmitted', '1%'],
    ['tramitted', '100%'],
  ])('spelt %s, loss %s, on either stream', (spelling, loss) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat({ max: 40 }), (sent, more) => {
        const answered = Math.min(sent, more);
        const lines = Array.from({ length: answered }, (_, i) => answer(i, 'SA'));
        const recording = program(lines, summary(sent, 99, loss, spelling));
        const { stdout = '', stderr = '' } = recording.phases[0] ?? {};
        expect(parseHping(stdout, stderr).sent).toBe(sent);
        expect(parseHping(`${stdout}${stderr}`, '').sent).toBe(sent);
        const spec = RttSpec.parse({ count: sent, intervalS: 0.1 });
        expect(valueIn(readRttBySyn(spec, outputOf(recording, completed)), 'loss')).toBeCloseTo(
          1 - answered / sent,
          12,
        );
      }),
      { numRuns: 25 },
    );
  });

  test('twelve answers to ten are duplicates, not less than no loss', () => {
    const lines = [
      ...Array.from({ length: 10 }, (_, i) => answer(i, 'SA')),
      `DUP! ${answer(3, 'SA')}`,
      answer(4, 'SA'),
    ];
    const recording = program(lines, summary(10, 12, '-20%'));
    const r = readRttBySyn(RttSpec.parse({ count: 10, intervalS: 0.1 }), outputOf(recording, completed));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'loss')).toBe(0);
    expect(r.result).toMatchObject({ duplicates: 2 });
  });
});
