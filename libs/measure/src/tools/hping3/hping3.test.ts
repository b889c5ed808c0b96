import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProbeHost } from '../../ability.js';
import { ReachabilityResult, ReachabilitySpec } from '../../measurements/reachability/index.js';
import { RttSpec } from '../../measurements/rtt/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { parseHping } from './parse.js';
import { reachabilityByHping3, readReachability } from './reachability.js';
import { readRttBySyn, rttByHping3 } from './rtt.js';
import { hping3 } from './version.js';

const folder = new URL('./fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .filter((name) => !name.startsWith('trace'));
const optionOf = ({ phases }: Recording, flag: string) => {
  const argv = phases[0]?.argv ?? [];
  return argv[argv.indexOf(flag) + 1] ?? '';
};
const specOf = (r: Recording): ReachabilitySpec =>
  ReachabilitySpec.parse({
    port: Number(optionOf(r, '-p')),
    count: Number(optionOf(r, '-c')),
    intervalS: Number(optionOf(r, '-i').slice(1)) / 1e6,
  });
const completed = { ending: { outcome: 'completed' as const } };
const reading = (name: string) => readReachability(specOf(recording(name)), outputOf(recording(name), completed));
const shares = (name: string) =>
  ['open', 'closed', 'filtered', 'rejected'].map((what) => valueIn(reading(name), `port.${what}`));
const program = (stdout: string, stderr: string, exitCode = 0): Recording => ({
  source: 'waitpacket.c, logicmp.c and statistics.c of hping3 3.a2.ds2; own numbers',
  phases: [{ end: 'near', name: 'syn', tool: 'hping3', argv: [], exitCode, signal: null, stdout, stderr }],
});

describe('reachability', () => {
  test.each([
    ['open', [1, 0, 0, 0], 'open'],
    ['closed', [0, 1, 0, 0], 'closed (RST)'],
    ['filtered', [0, 0, 1, 0], 'unanswered'],
    ['rejected', [0, 0, 0.5, 0.5], 'from 192.0.2.2: ICMP Packet filtered'],
  ])('%s', (name, expected, words) => {
    const r = reading(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(shares(name)).toEqual(expected);
    expect(r.notes.join()).toContain(words);
    expectSound(r);
  });

  test('an unreachable path is none, although the summary says 0 % loss (A48)', () => {
    const lines = `HPING 192.0.2.66 (wan0 192.0.2.66): S set, 40 headers + 0 data bytes\n${'ICMP Port Unreachable from ip=192.0.2.1\n'.repeat(10)}`;
    const summary =
      '\n--- 192.0.2.66 hping statistic ---\n10 packets tramitted, 10 packets received, 0% packet loss\nround-trip min/avg/max = 0.0/0.0/0.0 ms\n';
    const r = readReachability(ReachabilitySpec.parse({ port: 80, count: 10 }), outputOf(program(lines, summary)));
    expect(valueIn(r, 'port.rejected')).toBe(1);
    expect(valueIn(r, 'rtt.min')).toBe('no-reply');
    expect(ReachabilityResult.parse(r.result).errors).toEqual([
      { from: '192.0.2.1', text: 'ICMP Port Unreachable', count: 10 },
    ]);
  });

  test('the round trip is that of the lines', () => {
    const rtts = [...(recording('open').phases[0]?.stdout ?? '').matchAll(/rtt=([\d.]+)/g)].map((m) => Number(m[1]));
    expect(valueIn(reading('open'), 'rtt.min')).toBe(Math.min(...rtts));
  });

  test('IPv6 is refused: hping3 does not speak it', () => {
    expect(reading('ipv6').ending).toMatchObject({
      outcome: 'refused',
      reason: 'parameter-unsupported',
      detail: expect.stringContaining('IPv4 only'),
    });
  });

  test.each([
    ['', '', 'output-empty'],
    ['', '[main] no such device\n', 'tool-failed'],
    ['', '[send_ip] sendto: Network is unreachable\n', 'no-route'],
    ['', '0 packets transmitted, 0 packets received, 0% packet loss\n', 'output-unreadable'],
    ['', '9 packets transmitted, 0 packets received, 100% packet loss\n', 'output-unreadable'],
    ['', '2 packets transmitted, 0 packets received, 100% packet loss\n', 'interrupted'],
  ])('output %j %j: %s', (stdout, stderr, reason) => {
    const r = readReachability(ReachabilitySpec.parse({ port: 80, count: 5 }), outputOf(program(stdout, stderr, 1)));
    expect(r.ending).toMatchObject({ reason });
    expectSound(r);
  });
});

describe('the lines', () => {
  const answer = (seq: number, prefix = '', flags = 'SA') =>
    `${prefix}len=44 ip=192.0.2.66 ttl=63 DF id=0 sport=80 flags=${flags} seq=${seq} win=64240 rtt=45.${seq} ms`;

  test('both spellings of the summary, and its loss is never used (A49)', () => {
    for (const word of ['tramitted', 'transmitted'])
      expect(parseHping('', `\n12 packets ${word}, 12 packets received, -20% packet loss\n`).sent).toBe(12);
    const twelve = Array.from({ length: 9999 }, (_, i) => answer(i)).join('\n');
    const spec = RttSpec.parse({ count: 10_000, intervalS: 0.01 });
    const summary = '10000 packets transmitted, 9999 packets received, 1% packet loss';
    const r = readRttBySyn(spec, outputOf(program(twelve, summary)));
    expect(valueIn(r, 'loss')).toBeCloseTo(1 / 10_000, 12);
  });

  test('duplicates count once, other flags and errors are no answers', () => {
    const read = parseHping(
      [
        answer(0),
        answer(0, 'DUP! '),
        answer(1, '', 'RA'),
        'TTL 0 during transit from ip=192.0.2.2',
        'hop=3 hoprtt=7.9 ms',
        'odd',
      ].join('\n'),
      '',
    );
    expect(read).toMatchObject({
      duplicates: 1,
      errors: [{ from: '192.0.2.2', inTransit: true }],
      notes: ['hping3 printed: odd'],
    });
    expect(read.replies.map(({ flags }) => flags)).toEqual(['SA', 'RA']);
    expect(read.hopRtts).toEqual([{ hop: 3, rttMs: 7.9 }]);
  });

  test('more answers than SYNs, and errors beside answers', () => {
    const spec = RttSpec.parse({ count: 2, intervalS: 0.1 });
    const many = readRttBySyn(
      spec,
      outputOf(program([answer(0), answer(1), answer(2)].join('\n'), '2 packets transmitted, 3 packets received')),
    );
    expect(many.ending).toMatchObject({ reason: 'output-unreadable' });
    const error = 'ICMP Host Unreachable from ip=192.0.2.2';
    const one = readRttBySyn(
      spec,
      outputOf(program([answer(0), error].join('\n'), '2 packets transmitted, 2 packets received')),
    );
    expect(valueIn(one, 'loss')).toBe(0.5);
    expect(one.notes.join()).toContain('1 ICMP errors from 192.0.2.2');
  });
});

describe('rtt by SYN', () => {
  test('the first is omitted, the rest are counted', () => {
    const spec = RttSpec.parse({ count: 5, intervalS: 0.2, omitCount: 1 });
    const r = readRttBySyn(spec, outputOf(recording('rtt'), completed));
    const rtts = [...(recording('rtt').phases[0]?.stdout ?? '').matchAll(/rtt=([\d.]+)/g)]
      .slice(1)
      .map((m) => Number(m[1]));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'rtt.min')).toBe(Math.min(...rtts));
    expect(valueIn(r, 'rtt.mean')).toBeCloseTo(rtts.reduce((a, b) => a + b, 0) / 5, 9);
    expect(valueIn(r, 'loss')).toBe(0);
    expectSound(r);
  });

  test('nothing answered: loss 1, no round trip', () => {
    const r = readRttBySyn(RttSpec.parse({ count: 2, intervalS: 0.3 }), outputOf(recording('filtered'), completed));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect([valueIn(r, 'loss'), valueIn(r, 'rtt.p50')]).toEqual([1, 'no-reply']);
  });
});

describe('what is sent', () => {
  const host: ProbeHost = { tools: { hping3: 'hping3 version 3.0.0-alpha-2' }, congestionControls: [], root: true };
  const input = { address: '192.0.2.1', interface: 'wan0', peerAddress: '192.0.2.66', localPort: 1, peer: null };

  test('SYNs from the endpoint, to the port', () => {
    const [phase] = reachabilityByHping3.prepare({ port: 5201 }).near(host, input);
    expect(phase?.argv.join(' ')).toBe('hping3 -n -S -p 5201 -c 5 -i u500000 -a 192.0.2.1 -I wan0 192.0.2.66');
    expect(rttByHping3.prepare({ count: 3, intervalS: 0.2 }).near(host, input)[0]?.argv.join(' ')).toContain(
      '-S -p 443 -c 3',
    );
    const toPort = rttByHping3.prepare({ count: 3, intervalS: 0.2, omitCount: 2, method: 'tcp-syn', port: 22 });
    expect(toPort.near(host, input)[0]?.argv.join(' ')).toContain('-S -p 22 -c 5');
  });

  test('is refused without hping3 or without root', () => {
    const refusal = (more: Partial<ProbeHost>) =>
      reachabilityByHping3.prepare({ port: 80 }).refuses('near', { ...host, ...more });
    expect(refusal({ tools: {} })).toMatchObject({ reason: 'tool-missing', detail: expect.stringContaining('hping3') });
    expect(refusal({ root: false })).toMatchObject({ reason: 'parameter-unsupported' });
    expect(refusal({})).toBeUndefined();
    expect(hping3.parseVersion('hping3 version 3.0.0-alpha-2 ($Id: release.h,v 1.4')).toBe('3.0.0-alpha-2');
  });
});

describe('whatever is read', () => {
  test.each(names)('%s, mutated', (name) => {
    const original = recording(name);
    const { stdout = '', stderr = '' } = original.phases[0] ?? {};
    const rttSpec = RttSpec.parse({ count: 5, intervalS: 0.2, omitCount: 1 });
    fc.assert(
      fc.property(mutated(stdout), mutated(stderr), (out, err) => {
        const altered = outputOf(withText(original, 'syn', { stdout: out, stderr: err }), completed);
        expectSound(readReachability(specOf(original), altered));
        expectSound(readRttBySyn(rttSpec, altered));
      }),
      { numRuns: 40 },
    );
  });
});
