import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Phase, ProbeHost } from '../../ability.js';
import { TraceResult, TraceSpec } from '../../measurements/trace/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { mtr, traceByMtr } from './index.js';
import { parseMtr } from './parse.js';
import { readMtr } from './read.js';

const folder = new URL('./fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
function specOf({ phases }: Recording): TraceSpec {
  const argv = phases[0]?.argv ?? [];
  const method = argv.includes('-u') ? 'udp' : argv.includes('-T') ? 'tcp-syn' : 'icmp';
  return TraceSpec.parse({ method, flows: phases.length, cycles: Number(argv[argv.indexOf('-c') + 1]) });
}
const reading = (name: string) => readMtr(specOf(recording(name)), outputOf(recording(name)));

describe('a trace by mtr', () => {
  test('hops with loss and latency', () => {
    const r = reading('0.95-icmp');
    const hubs = JSON.parse(recording('0.95-icmp').phases[0]?.stdout ?? '').report.hubs;
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'hops')).toBe(2);
    expect(valueIn(r, 'loss')).toBeCloseTo(hubs[1]['Loss%'] / 100, 3);
    expect(valueIn(r, 'rtt.mean')).toBe(hubs[1].Avg);
    expect(valueIn(r, 'hop.rtt.min', { hop: '1' })).toBe(hubs[0].Best);
    expect(valueIn(r, 'flows.distinct')).toBe(1);
    expect(r.notes[0]).toBe('1 192.0.2.2, 2 192.0.2.66');
    expectSound(r);
  });

  test('several flows show load balancing', () => {
    const r = reading('0.95-udp-flows');
    expect(valueIn(r, 'flows.distinct')).toBe(2);
    expect(r.notes.join()).toContain('2 ways for 6 flows: load balancing');
    expect(valueIn(r, 'hop.loss', { hop: '2', stream: '6' })).toBe(0);
    expect(TraceResult.parse(r.result).pinned).toBe(true);
  });

  test('a router that limits its ICMP is not lossy; a silent hop is no zero (0.92)', () => {
    const r = reading('0.92-limited');
    expect([1, 2, 3, 4].map((hop) => valueIn(r, 'hop.loss', { hop: String(hop) }))).toEqual([0, 0, 0, 0]);
    expect([1, 2, 3, 4].map((hop) => valueIn(r, 'hop.unanswered', { hop: String(hop) }))).toEqual([0, 1, 0.4, 0]);
    expect(valueIn(r, 'hop.rtt.mean', { hop: '2' })).toBe('no-reply');
    expect(r.notes.join()).toContain('hop 3 limits its ICMP');
    expect(valueIn(r, 'loss')).toBe(0);
  });

  test('loss that stays is loss', () => {
    const r = reading('0.95-lossy');
    expect([1, 2, 3].map((hop) => valueIn(r, 'hop.loss', { hop: String(hop) }))).toEqual([0, 0.2, 0.2]);
    expect(valueIn(r, 'loss')).toBe(0.2);
  });

  test('where the far end is silent, nobody knows whether a hop is lossy', () => {
    const r = reading('0.95-not-reached');
    expect(valueIn(r, 'hop.loss', { hop: '1' })).toBe('tool-cannot-say');
    expect(valueIn(r, 'hop.unanswered', { hop: '1' })).toBe(0.5);
    expect([valueIn(r, 'hops'), valueIn(r, 'loss')]).toEqual(['no-reply', 'no-reply']);
  });

  test.each(['0.95-silent', '0.92-empty', '0.95-no-route'])('%s: no hops, and no number', (name) => {
    const r = reading(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(r.metrics.every(({ value }) => value === null)).toBe(true);
    expect(r.notes.join()).toContain('itself did not answer');
    expectSound(r);
  });

  test.each(['0.95-tcp', '0.95-v6'])('%s', (name) => {
    expect(reading(name).ending).toEqual({ outcome: 'completed' });
    expect(valueIn(reading(name), 'hops')).toBe(2);
  });

  test('what mtr refuses, and flows that are missing', () => {
    expect(reading('0.95-interval').ending).toMatchObject({ outcome: 'refused', reason: 'parameter-unsupported' });
    const { source, phases } = recording('0.95-udp-flows');
    const some = outputOf({ source, phases: phases.slice(0, 4) });
    expect(readMtr(specOf({ source, phases }), some).ending).toMatchObject({
      outcome: 'partial',
      reason: 'interrupted',
    });
  });
});

describe('its JSON', () => {
  test('is repaired where it can be, and said to be', () => {
    expect(parseMtr(recording('0.92-empty').phases[0]?.stdout ?? '')).toEqual({
      hops: [],
      notes: ['no hop answered, and this mtr did not close its list: repaired'],
    });
    expect(parseMtr('')).toMatchObject({ problem: 'output-empty' });
    expect(parseMtr('usage: mtr')).toMatchObject({ problem: 'output-unreadable' });
    expect(parseMtr('{"report":{"hubs":[{"count":1}]}}')).toEqual({
      hops: [],
      notes: ["hop 1 of mtr's list could not be read"],
    });
  });

  test.each(names)('%s, mutated', (name) => {
    const original = recording(name);
    const spec = specOf(original);
    fc.assert(
      fc.property(mutated(original.phases[0]?.stdout ?? ''), (stdout) => {
        expectSound(readMtr(spec, outputOf(withText(original, 'flow-1', { stdout }))));
      }),
      { numRuns: 40 },
    );
  });
});

describe('what is asked', () => {
  const host = (root: boolean): ProbeHost => ({ tools: { mtr: 'mtr 0.95' }, congestionControls: [], root });
  const phasesOf = (raw: object, root = true): readonly Phase[] =>
    traceByMtr
      .prepare(raw)
      .near(host(root), { address: '192.0.2.1', peerAddress: '192.0.2.66', localPort: 1, peer: null });

  test('one mtr a flow, at the same time, each flow with ports of its own', () => {
    const phases = phasesOf({ method: 'udp', flows: 3, cycles: 4 });
    expect(phases.map(({ name, beside }) => [name, beside !== undefined])).toEqual([
      ['flow-1', true],
      ['flow-2', true],
      ['flow-3', false],
    ]);
    expect(new Set(phases.map(({ argv }) => argv[argv.indexOf('-L') + 1])).size).toBe(3);
    expect(phases[0]?.argv.join(' ')).toBe(
      'mtr --json -n -c 4 -i 0.2 -m 30 -4 -a 192.0.2.1 -u -P 33434 -L 28001 192.0.2.66',
    );
  });

  test('a user other than root asks once a second', () => {
    expect(phasesOf({ method: 'tcp-syn', port: 5201 }, false)[0]?.argv.join(' ')).toContain(
      '-i 1 -m 30 -4 -a 192.0.2.1 -T -P 5201',
    );
  });

  test('is refused without mtr', () => {
    const refusal = traceByMtr.prepare({}).refuses('near', { tools: {}, congestionControls: [] });
    expect(refusal).toMatchObject({ reason: 'tool-missing', detail: expect.stringContaining('mtr-tiny') });
    expect(mtr.parseVersion('mtr 0.95')).toBe('0.95');
  });
});
