import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProbeHost } from '../../ability.js';
import { HopsResult, HopsSpec } from '../../measurements/hops/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { hopsByPchar, pchar, readPchar } from './index.js';
import { parsePchar } from './parse.js';

const folder = new URL('./fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const spec = HopsSpec.parse({});
const completed = { ending: { outcome: 'completed' as const } };
const reading = (name: string) => readPchar(spec, outputOf(recording(name), completed));
const textOf = (name: string) => recording(name).phases[0]?.stdout ?? '';

describe('hops by pchar', () => {
  test('rate, latency and fit of each link, and the slowest', () => {
    const r = reading('1.5-two-hops');
    const rates = [...textOf('1.5-two-hops').matchAll(/bw = ([\d.]+) Kbps/g)].map((m) => Number(m[1]) * 1000);
    const fits = [...textOf('1.5-two-hops').matchAll(/b = .* r2 = ([\d.]+)/g)].map((m) => Number(m[1]));
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(['1', '2'].map((hop) => valueIn(r, 'hop.rate', { hop }))).toEqual(rates);
    expect(['1', '2'].map((hop) => valueIn(r, 'hop.r2', { hop }))).toEqual(fits);
    // The lab's far link carries 20 Mbit/s and is 40 ms of the round trip.
    expect(Number(valueIn(r, 'path.rate')) / 20e6).toBeCloseTo(1, 0);
    expect(Number(valueIn(r, 'hop.latency', { hop: '2' })) / 40).toBeCloseTo(1, 1);
    expect(valueIn(r, 'hops')).toBe(2);
    expect(HopsResult.parse(r.result).links.map(({ hosts }) => hosts)).toEqual([['192.0.2.2'], ['192.0.2.66']]);
    expectSound(r);
  });

  test('a low r2 is said', () => {
    expect(reading('1.5-two-hops').notes).toEqual([
      expect.stringMatching(/^hop 1: the fit is poor \(r2 0\.\d\d\), so its rate is a guess$/),
    ]);
    expect(reading('1.5-ipv6').notes.join()).toContain('hop 2: the fit is poor');
  });

  test('out of time: the hops until then are kept', () => {
    const cut = textOf('1.5-two-hops').split(/^ 2: /m)[0] ?? '';
    const { source, phases } = withText(recording('1.5-two-hops'), 'pchar', { stdout: cut, exitCode: null });
    const killed = { source, phases: phases.map((phase) => ({ ...phase, signal: 'SIGTERM' })) };
    const r = readPchar(spec, outputOf(killed, completed));
    expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
    expect(valueIn(r, 'hop.rate', { hop: '1' })).toBeGreaterThan(1e6);
    expect(valueIn(r, 'hops')).toBe('no-reply');
    const none = (maxDurationS: number) =>
      readPchar(HopsSpec.parse({ maxDurationS }), outputOf(recording('1.5-out-of-time'), completed)).ending;
    expect(none(10)).toMatchObject({ outcome: 'timed-out', reason: 'deadline-exceeded' });
    // Ended long before its time: somebody else did that.
    expect(none(900)).toMatchObject({ outcome: 'failed', reason: 'tool-killed' });
  });

  test('a line that does not rise has no rate, and silence is no hop', () => {
    // Shape after main.cc of pchar 1.5: --.--- and 0.000000 for what makes no sense, a hop that never answers; own numbers.
    const text = `pchar to 192.0.2.66 (192.0.2.66) using UDP/IPv4
 0: 192.0.2.1 (192.0.2.1)
    Partial loss:      0 / 88 (0%)
    Partial char:      rtt = 4.3 ms, (b = -0.000001 ms/B), r2 = 0.010000
    Hop char:          rtt = 0.000000 ms, bw = 0.000000 Kbps
 1: 192.0.2.2 (192.0.2.2)
 1: 192.0.2.3 (192.0.2.3)
    Partial loss:      88 / 88 (100%)
    Partial char:      rtt = 0.0 ms, (b = 0.0 ms/B), r2 = nan
    Hop char:          rtt = --.--- ms, bw = --.--- Kbps
 2: no probe responses
    Partial loss:      44 / 88 (50%)
    Partial char:      rtt = 44.8 ms, (b = 0.0005 ms/B), r2 = 0.950000
    Hop char:          rtt = 40.500000 ms, bw = 18561.177387 Kbps
 3: 192.0.2.66 (192.0.2.66)
    Path length:       3 hops
    Path bottleneck:   18561.177387 Kbps
`;
    const r = readPchar(spec, outputOf(withText(recording('1.5-two-hops'), 'pchar', { stdout: text }), completed));
    expect(['1', '2', '3'].map((hop) => valueIn(r, 'hop.rate', { hop }))).toEqual([
      'tool-cannot-say',
      'no-reply',
      18_561_177.387,
    ]);
    expect(['1', '2', '3'].map((hop) => valueIn(r, 'hop.unanswered', { hop }))).toEqual([0, 1, 0.5]);
    expect(valueIn(r, 'hop.r2', { hop: '2' })).toBe('no-reply');
    expect(r.notes.join()).toContain('hop 1: the way changed meanwhile (192.0.2.2, 192.0.2.3)');
    expect(r.notes.join()).toContain('its rate is unknown');
    expectSound(r);
  });

  test.each([
    ['', '', 'output-empty'],
    ['what?', '', 'output-unreadable'],
    ['', 'sendto: Network is unreachable', 'no-route'],
    ['', 'socket: Operation not permitted', 'tool-failed'],
  ])('output %j %j: %s', (stdout, stderr, reason) => {
    const r = readPchar(spec, outputOf(withText(recording('1.5-two-hops'), 'pchar', { stdout, stderr }), completed));
    expect(r.ending).toMatchObject({ reason });
    expectSound(r);
  });

  test.each(names)('%s, mutated', (name) => {
    fc.assert(
      fc.property(mutated(textOf(name)), (stdout) => {
        expectSound(readPchar(spec, outputOf(withText(recording(name), 'pchar', { stdout }), completed)));
        for (const link of parsePchar(stdout).links) expect(link.hop).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what is sent', () => {
  const host: ProbeHost = { tools: { pchar: 'pchar 1.5' }, congestionControls: [], root: true };

  test('as many sizes as asked for, lower effort, line by line', () => {
    const input = { address: '192.0.2.1', peerAddress: '192.0.2.66', localPort: 1, peer: null };
    expect(hopsByPchar.prepare({ sizes: 12, repetitions: 8 }).near(host, input)[0]?.argv.join(' ')).toBe(
      'stdbuf -oL pchar -n -R 8 -I 125 -m 1500 -H 30 -g 0.02 -t 1 -T 4 -l 192.0.2.1 192.0.2.66',
    );
    expect(hopsByPchar.prepare({}).longestDurationMs).toBe(905_000);
  });

  test('is refused without pchar or without root', () => {
    const refusal = (more: Partial<ProbeHost>) => hopsByPchar.prepare({}).refuses('near', { ...host, ...more });
    expect(refusal({ tools: {} })).toMatchObject({
      reason: 'tool-missing',
      detail: expect.stringContaining('package pchar'),
    });
    expect(refusal({ root: undefined })).toMatchObject({ reason: 'parameter-unsupported' });
    expect(refusal({})).toBeUndefined();
    expect(pchar.parseVersion('pchar 1.5\nThis work was first produced')).toBe('1.5');
  });
});
