import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProbeHost } from '../../ability.js';
import { UdpLoadResult, UdpLoadSpec } from '../../measurements/udp-load/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { optionOf } from './argv.js';
import { udpLoadByIperf3 } from './udp.js';
import { readUdp } from './udp-read.js';

const folder = new URL('./udp-fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

/** The spec that a recording was made with, from the client's own argv. */
function specOf({ phases }: Recording): UdpLoadSpec {
  const argv = phases[0]?.argv ?? [];
  const streams = Number(optionOf(argv, '-P') ?? 1);
  return UdpLoadSpec.parse({
    direction: argv.includes('-R') ? 'reverse' : 'forward',
    durationS: Number(optionOf(argv, '-t')),
    rateBps: Number(optionOf(argv, '-b')) * streams,
    payloadBytes: Number(optionOf(argv, '-l')),
    streams,
  });
}
const reading = (name: string) => readUdp(specOf(recording(name)), outputOf(recording(name)));
const nearEnd = (name: string) => JSON.parse(recording(name).phases[0]?.stdout ?? '').end;
const ratioOf = (name: string, metric: string, expected: number): number =>
  Number(valueIn(reading(name), metric)) / expected;

describe('a UDP load that completed', () => {
  test('delivered, loss and jitter are the receiver’s (A1)', () => {
    const { sum_received, sum_sent } = nearEnd('3.12-overload');
    expect(ratioOf('3.12-overload', 'delivered', (sum_received.bytes * 8) / sum_received.seconds)).toBeCloseTo(1, 9);
    expect(ratioOf('3.12-overload', 'offered', (sum_sent.bytes * 8) / sum_sent.seconds)).toBeCloseTo(1, 9);
    expect(ratioOf('3.12-overload', 'loss', sum_received.lost_packets / sum_received.packets)).toBeCloseTo(1, 9);
    expect(ratioOf('3.12-overload', 'jitter', sum_received.jitter_ms)).toBeCloseTo(1, 9);
    expect(ratioOf('3.12-overload', 'delivered.steady', 1.96206e7)).toBeCloseTo(1, 1);
    expect(valueIn(reading('3.12-overload'), 'reordered')).toBe(0);
  });

  test('reverse: the client is the receiver, and what was on its way is not lost', () => {
    const r = reading('3.12-overload-reverse');
    const { sum_received, sum_sent } = nearEnd('3.12-overload-reverse');
    expect(valueIn(r, 'loss')).toBeCloseTo(sum_received.lost_packets / sum_received.packets, 9);
    expect(sum_sent.packets).toBeGreaterThan(sum_received.packets + 100);
    expect(r.notes.join()).toContain('still on their way');
  });

  test('without loss', () => {
    const r = reading('3.12-clean');
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'loss')).toBe(0);
    expect(valueIn(r, 'delivered.steady')).toBeGreaterThan(9.9e6);
    expect(UdpLoadResult.parse(r.result)).toMatchObject({ versions: { near: '3.12', far: '3.12' } });
  });

  test('several streams are one load', () => {
    const r = reading('3.12-two-streams');
    expect(Number(valueIn(r, 'offered')) / 4e6).toBeCloseTo(1, 2);
    expect(valueIn(r, 'loss')).toBe(0);
  });

  test('a path that dies before the end: iperf3 says 0 %, we do not', () => {
    expect(nearEnd('3.12-silent-end').sum_received.lost_percent).toBe(0);
    const r = reading('3.12-silent-end');
    expect(valueIn(r, 'loss')).toBeGreaterThan(0.4);
    expect(r.notes.join()).toContain('nothing arrived at the end');
  });

  test('without the server’s JSON, reordering is unknown, not 0', () => {
    const { source, phases } = recording('3.12-overload');
    const alone = { source, phases: phases.slice(0, 1) };
    const r = readUdp(specOf(alone), outputOf(alone));
    expect(valueIn(r, 'reordered')).toBe('not-measured-here');
    expect(valueIn(r, 'delivered.steady')).toBe('not-measured-here');
    expect(valueIn(r, 'delivered')).toBeGreaterThan(18e6);
  });

  test('three sums that disagree (A1): 956 Mbit/s arrived, not 2860', () => {
    const r = reading('3.12-three-sums');
    expect(Number(valueIn(r, 'delivered')) / 9.56e8).toBeCloseTo(1, 3);
    expect(valueIn(r, 'loss')).toBeCloseTo(1642125 / 2467403, 9);
  });

  test('a negative interval is reordering, never loss (A13)', () => {
    const r = reading('3.12-negative-interval');
    expect(valueIn(r, 'loss')).toBe(0);
    expect(valueIn(r, 'reordered')).toBe(1919);
  });

  test.each([
    ['3.9-sum-only', (3500 * 1448 * 8) / 2.05, 0.3, 'not-measured-here', true],
    ['3.9-both-ends', (3500 * 1448 * 8) / 2.05, 0.3, 7, true],
    ['3.21-overload', (3495 * 1448 * 8) / 2.06, 1500 / 4995, 'not-measured-here', false],
    ['3.20-zero-lost', (3495 * 1448 * 8) / 2.06, 1500 / 4995, 'not-measured-here', false],
  ])('%s', (name, deliveredBps, loss, reordered, derived) => {
    const r = reading(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(Number(valueIn(r, 'delivered')) / deliveredBps).toBeCloseTo(1, 6);
    expect(valueIn(r, 'loss')).toBeCloseTo(loss, 6);
    expect(valueIn(r, 'reordered')).toBe(reordered);
    expect(UdpLoadResult.parse(r.result).received?.derived).toBe(derived);
    expect(r.notes.some((note) => note.includes('delivered is'))).toBe(derived);
  });
});

describe('a UDP load that failed', () => {
  test.each([
    ['3.12-udp-blocked', 'connection-timed-out', 'UDP does not get through although TCP'],
    ['3.12-too-long', 'tool-failed', 'do not fit'],
    ['3.12-server-killed', 'connection-reset', 'control socket'],
  ])('%s: %s', (name, reason, words) => {
    const r = reading(name);
    expect(r.ending).toMatchObject({ reason, detail: expect.stringContaining(words) });
    expect(r.metrics.every(({ value }) => value === null)).toBe(true);
  });

  test('an error beside whole totals, with exit code 0 (A2, A3)', () => {
    const clean = recording('3.12-clean');
    const text = clean.phases[0]?.stdout.replace(/}\s*$/, ', "error": "interrupt - the client has terminated"}') ?? '';
    const r = readUdp(specOf(clean), outputOf(withText(clean, 'test', { stdout: text })));
    expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
  });

  test('another test’s document is no answer', () => {
    const clean = recording('3.12-clean');
    for (const change of [{ payloadBytes: 100 }, { durationS: 4 }, { streams: 2 }, { direction: 'reverse' as const }])
      expect(readUdp({ ...specOf(clean), ...change }, outputOf(clean)).ending).toMatchObject({
        reason: 'output-unreadable',
      });
  });

  test('what the probe saw first stands', () => {
    const clean = recording('3.12-clean');
    const ending = { outcome: 'cancelled', reason: 'cancelled-by-user' } as const;
    expect(readUdp(specOf(clean), outputOf(clean, { ending })).ending).toEqual(ending);
  });

  test.each(['', 'Segmentation fault', '{"start":{}', '{}'])('output %j', (stdout) => {
    const clean = recording('3.12-clean');
    const r = readUdp(specOf(clean), outputOf(withText(clean, 'test', { stdout })));
    expect(r.ending.outcome).toBe('failed');
    expectSound(r);
  });
});

describe('whatever is read', () => {
  test.each(names)('%s, mutated', (name) => {
    const original = recording(name);
    const spec = specOf(original);
    fc.assert(
      fc.property(mutated(original.phases[0]?.stdout ?? ''), (stdout) => {
        expectSound(readUdp(spec, outputOf(withText(original, 'test', { stdout }))));
      }),
      { numRuns: 40 },
    );
  });
});

describe('what is sent', () => {
  const host = (version: string): ProbeHost => ({ tools: { iperf3: `iperf ${version}` }, congestionControls: [] });
  const argvOf = (raw: object, version = '3.12'): readonly string[] => {
    const prepared = udpLoadByIperf3.prepare({
      direction: 'forward',
      durationS: 5,
      rateBps: 1e6,
      payloadBytes: 1452,
      ...raw,
    });
    const input = { address: '192.0.2.1', peerAddress: '192.0.2.2', localPort: 5301, peer: { port: 5300, version } };
    return prepared.near(host(version), input)[0]?.argv ?? [];
  };

  test('the rate is shared by the streams, never multiplied', () => {
    fc.assert(
      fc.property(fc.integer({ min: 128_000, max: 1e12 }), fc.integer({ min: 1, max: 128 }), (rateBps, streams) => {
        const argv = argvOf({ rateBps, streams });
        expect(Number(optionOf(argv, '-b')) * streams).toBeLessThanOrEqual(rateBps);
        expect(Number(optionOf(argv, '-b')) * streams).toBeGreaterThan(rateBps - streams);
        expect(Number(optionOf(argv, '-P') ?? 1)).toBe(streams);
      }),
    );
  });

  test('one datagram is one packet: don’t fragment where the version can', () => {
    expect(argvOf({}, '3.10')).toContain('--dont-fragment');
    expect(argvOf({}, '3.9')).not.toContain('--dont-fragment');
    expect(optionOf(argvOf({}), '-l')).toBe('1452');
    expect(argvOf({ direction: 'reverse' })).toContain('-R');
  });

  test('consent covers rate, streams and time', () => {
    const raw = { direction: 'forward', durationS: 5, rateBps: 1e6, payloadBytes: 100, streams: 4 };
    expect(udpLoadByIperf3.prepare(raw).ceilings).toEqual({ maxRateBps: 1e6, maxStreams: 4, maxDurationS: 5 });
  });

  test('is refused without iperf3, with an old one, and where the streams get nothing', () => {
    const raw = { direction: 'forward', durationS: 5, rateBps: 1e5, payloadBytes: 100, streams: 128 };
    const refusal = (tools: ProbeHost['tools'], more = {}) =>
      udpLoadByIperf3.prepare({ ...raw, ...more }).refuses('far', { tools, congestionControls: [] });
    expect(refusal({})).toMatchObject({ reason: 'tool-missing', detail: expect.stringContaining('iperf3') });
    expect(refusal({ iperf3: 'iperf 3.7' })).toMatchObject({ reason: 'tool-too-old' });
    expect(refusal({ iperf3: 'iperf 3.12' })).toMatchObject({ reason: 'parameter-unsupported' });
    expect(refusal({ iperf3: 'iperf 3.12' }, { streams: 1 })).toBeUndefined();
  });
});
