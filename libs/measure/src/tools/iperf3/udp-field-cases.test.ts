import { readFileSync } from 'node:fs';
import type { HostSnapshot } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UdpLoadSpec } from '../../measurements/udp-load/index.js';
import { outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { optionOf } from './argv.js';
import { readUdp } from './udp-read.js';

/* Field cases of docs/field-cases.md that concern UDP by iperf3; forms are those of the fixtures, whose `source` says where from. */
const recording = (name: string): Recording =>
  JSON.parse(readFileSync(new URL(`./udp-fixtures/${name}.json`, import.meta.url), 'utf8'));
function specOf({ phases }: Recording): UdpLoadSpec {
  const argv = phases[0]?.argv ?? [];
  return UdpLoadSpec.parse({
    direction: argv.includes('-R') ? 'reverse' : 'forward',
    durationS: Number(optionOf(argv, '-t')),
    rateBps: Number(optionOf(argv, '-b')),
    payloadBytes: Number(optionOf(argv, '-l')),
  });
}
type Sum = Record<string, number | boolean>;
interface Document {
  start: { version: string };
  intervals: { sum: Sum }[];
  end: { sum: Sum; sum_sent?: Sum; sum_received?: Sum; cpu_utilization_percent?: Record<string, number> };
}
/** The client alone, its document changed. */
function altered(name: string, change: (document: Document) => void): Recording {
  const { source, phases } = recording(name);
  const document: Document = JSON.parse(phases[0]?.stdout ?? '');
  change(document);
  return withText({ source, phases: phases.slice(0, 1) }, 'test', { stdout: JSON.stringify(document) });
}
const reading = (r: Recording, more = {}) => readUdp(specOf(r), outputOf(r, more));

describe('A1: delivered, loss and jitter are the receiver’s', () => {
  test('whatever the sums of the sender and the old sum say', () => {
    const junk = fc.record({
      bytes: fc.nat(1e9),
      lost_packets: fc.nat(1e5),
      lost_percent: fc.nat(100),
      jitter_ms: fc.nat(9),
    });
    const expected = reading(altered('3.21-overload', () => {}));
    fc.assert(
      fc.property(junk, junk, (legacy, sent) => {
        const r = reading(
          altered('3.21-overload', ({ end }) => {
            Object.assign(end.sum, legacy);
            Object.assign(end.sum_sent ?? {}, { ...sent, bytes: end.sum_sent?.bytes });
          }),
        );
        for (const name of ['delivered', 'loss', 'jitter']) expect(valueIn(r, name)).toBe(valueIn(expected, name));
      }),
      { numRuns: 40 },
    );
  });

  test('before 3.11 only one sum: the delivered rate is derived from loss, and said to be', () => {
    for (const lost of [0, 1500, 4999]) {
      const r = reading(altered('3.9-sum-only', ({ end }) => Object.assign(end.sum, { lost_packets: lost })));
      expect(Number(valueIn(r, 'delivered')) / ((7_240_000 * (1 - lost / 5000) * 8) / 2.05)).toBeCloseTo(1, 9);
      expect(valueIn(r, 'loss')).toBeCloseTo(lost / 5000, 9);
      expect(r.notes.join()).toContain('worked out from sent bytes and loss');
    }
  });
});

describe('A4: a receiver that was never told', () => {
  test('zero bytes beside an error are unknown, not 0 bit/s', () => {
    const lost = altered('3.12-overload', (document) => {
      Object.assign(document.end.sum_received ?? {}, { bytes: 0, bits_per_second: 0, packets: 0, lost_packets: 0 });
      Object.assign(document, { error: 'error - control socket has closed unexpectedly' });
    });
    const r = reading(lost);
    expect(r.ending.outcome).not.toBe('completed');
    expect(['delivered', 'loss'].map((name) => typeof valueIn(r, name))).toEqual(['string', 'string']);
  });
});

test('A6: in reverse the client is the receiver, and its own count is the delivered one', () => {
  const r = reading(altered('3.12-overload-reverse', ({ end }) => Object.assign(end.sum_sent ?? {}, { bytes: 1 })));
  expect(Number(valueIn(r, 'delivered')) / ((9_792_824 * 8) / 4.00025)).toBeCloseTo(1, 6);
  const forward = recording('3.12-overload');
  expect(readUdp({ ...specOf(forward), direction: 'reverse' }, outputOf(forward)).ending).toMatchObject({
    reason: 'output-unreadable',
  });
});

test('A13: no interval and no total makes a negative loss, however many late datagrams are credited back', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 1, maxLength: 6 }), (lost) => {
      const total = lost.reduce((a, b) => a + b, 0);
      const r = reading(
        altered('3.12-overload-reverse', (document) => {
          const [first] = document.intervals;
          document.intervals = lost.map((n) => ({ sum: { ...first?.sum, lost_packets: n, packets: 10_000 } }));
          Object.assign(document.end.sum_received ?? {}, { lost_packets: total, packets: 10_000 * lost.length });
        }),
      );
      const loss = valueIn(r, 'loss');
      expect(loss).toBeGreaterThanOrEqual(0);
      expect(loss).toBeLessThanOrEqual(1);
      expect(r.notes.join().includes('not shown as loss')).toBe(total < 0);
    }),
    { numRuns: 60 },
  );
});

test('A15: a paced load by 3.16 or 3.17 spins, any other full core is said', () => {
  const noteOf = (version: string, percent: number) =>
    reading(
      altered('3.21-overload', ({ start, end }) => {
        start.version = `iperf ${version}`;
        end.cpu_utilization_percent = { host_total: percent };
      }),
    ).notes.join();
  expect(noteOf('3.17.1', 100)).toContain('spin while they pace');
  expect(noteOf('3.17.1', 100)).not.toContain('may be the limit');
  expect(noteOf('3.15', 99.7)).toContain('the host, not the path, may be the limit');
  expect(noteOf('3.21', 50)).not.toMatch(/spin|may be the limit/);
});

describe('A36: fragments that are dropped are no link that is down', () => {
  const snapshots = (mtu: number): { near: HostSnapshot } => ({
    near: { takenAt: '2026-01-01T00:00:00Z', tools: {}, unknown: {}, sysctls: {}, interface: { name: 'wan0', mtu } },
  });
  const silentAfterFirst = (name: string): Recording =>
    altered(name, (document) => {
      document.end.sum_received = { ...document.end.sum, bytes: 1_000_000, lost_packets: 4300, packets: 5000 };
    });

  test.each([
    [1500, false],
    [1476, false],
    [1475, true],
  ])('1448 bytes over IPv4 and an MTU of %d: fragments %s', (mtu, said) => {
    // The warning of iperf3 is about 1448, but fragments begin above MTU - 28 (IPv4) and MTU - 48 (IPv6).
    const r = reading(silentAfterFirst('3.9-sum-only'), { snapshots: snapshots(mtu) });
    expect(r.notes.join().includes('travelled in fragments')).toBe(said);
  });

  test('seconds without datagrams are put down to the fragments', () => {
    const { source, phases } = recording('3.9-both-ends');
    const server = JSON.parse(phases[1]?.stdout ?? '');
    Object.assign(server.intervals.at(-1).sum, { bytes: 0, packets: 0, lost_packets: 0 });
    const r = reading(withText({ source, phases }, 'server', { stdout: JSON.stringify(server) }), {
      snapshots: snapshots(1280),
    });
    expect(r.notes.join()).toContain('which does not mean that the link is down');
  });

  test('since 3.10 it cannot happen: fragmentation is forbidden', () => {
    const r = reading(recording('3.12-overload'), { snapshots: snapshots(1280) });
    expect(r.notes.join()).not.toContain('fragments');
  });
});
