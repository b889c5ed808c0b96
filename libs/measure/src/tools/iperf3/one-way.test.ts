import { readFileSync } from 'node:fs';
import type { End, SocketSample } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { ThroughputSpec } from '../../measurements/throughput/index.js';
import { valueIn } from '../../test-support/reading.js';
import { read } from './read.js';

type Program = Pick<PhaseOutput, 'argv' | 'exitCode' | 'signal' | 'stdout' | 'stderr'>;
const { near, far }: { near: Program; far: Program } = JSON.parse(
  readFileSync(new URL('./fixtures/3.12-bidir.json', import.meta.url), 'utf8'),
);
const { end } = JSON.parse(near.stdout);
const phases = (stdout = near.stdout): PhaseOutput[] => [
  { end: 'near', name: 'test', tool: 'iperf3', ...near, stdout },
  { end: 'far', name: 'server', tool: 'iperf3', ...far },
];
const reading = (direction: string, more: Partial<AttemptOutput> = {}): Reading =>
  read(ThroughputSpec.parse({ direction, durationS: 2, omitS: 1, streams: 2 }), {
    phases: phases(),
    samples: [],
    snapshots: {},
    ending: { outcome: 'completed' },
    ...more,
  });

describe('both directions at once (A6)', () => {
  test('each is told by the name of its sums, and labelled', () => {
    // Other numbers each way, so that a mix-up shows.
    const document = JSON.parse(near.stdout);
    document.end.sum_received.bytes = 4_000_000;
    document.end.sum_received_bidir_reverse.bytes = 3_000_000;
    const seconds = end.sum_received.seconds;
    // Each end counts what it received in intervals too: without them the totals stand alone.
    document.intervals = [];
    const stdout = JSON.stringify(document);
    const r = reading('simultaneous', { phases: phases(stdout).slice(0, 1) });
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'throughput', { direction: 'forward' })).toBeCloseTo(32e6 / seconds, 3);
    expect(valueIn(r, 'throughput', { direction: 'reverse' })).toBeCloseTo(
      24e6 / end.sum_received_bidir_reverse.seconds,
      3,
    );
  });

  test('streams, windows and round trips are each direction’s own', () => {
    const r = reading('simultaneous');
    expect(r.ending).toEqual({ outcome: 'completed' });
    for (const direction of ['forward', 'reverse']) {
      expect(valueIn(r, 'fairness', { direction })).toBeCloseTo(1, 6);
      for (const stream of ['1', '2'])
        expect(Number(valueIn(r, 'throughput', { direction, stream })) / 1e7).toBeCloseTo(1, 1);
    }
    const server = JSON.parse(far.stdout);
    const rtts = server.intervals
      .slice(1)
      .flatMap((i: { streams: { rtt?: number }[] }) => i.streams.flatMap((s) => s.rtt ?? []));
    const mean = rtts.reduce((a: number, b: number) => a + b) / rtts.length / 1000;
    expect(valueIn(r, 'rtt.mean', { direction: 'reverse' })).toBeCloseTo(mean, 6);
    expect(valueIn(r, 'retransmits', { direction: 'reverse' })).toBe(end.sum_sent_bidir_reverse.retransmits);
  });

  test('sampled sockets are told apart by their ports', () => {
    const sample = (at: End, port: number, elapsedMs: number, rttMs: number): SocketSample => ({
      ...{ end: at, elapsedMs, localAddress: '127.0.0.1', peerAddress: '127.0.0.1', state: 'ESTAB', rttMs },
      localPort: at === 'near' ? port : 40_007,
      peerPort: at === 'near' ? 40_007 : port,
    });
    const samples = [0, 1, 2, 3].flatMap((i) => [
      sample('near', 41_021 + i, 100, 1),
      sample('near', 41_021 + i, 1500, 20 + i),
      sample('near', 41_021 + i, 2000, 20 + i),
      sample('far', 41_021 + i, 100, 1),
      sample('far', 41_021 + i, 1500, 60 + i),
      sample('far', 41_021 + i, 2000, 60 + i),
    ]);
    const r = reading('simultaneous', { samples });
    expect(valueIn(r, 'rtt.mean', { direction: 'forward' })).toBeCloseTo(20.5, 9);
    expect(valueIn(r, 'rtt.mean', { direction: 'reverse' })).toBeCloseTo(62.5, 9);
    expect(r.result).toMatchObject({
      ends: [
        { direction: 'forward', end: 'near', role: 'sender', sockets: { count: 2 } },
        { direction: 'forward', end: 'far', role: 'receiver' },
        { direction: 'reverse', end: 'far', role: 'sender', sockets: { count: 2 } },
        { direction: 'reverse', end: 'near', role: 'receiver' },
      ],
    });
  });

  test('is no answer to a test of one direction, nor the other way round', () => {
    expect(reading('forward').ending).toMatchObject({ reason: 'output-unreadable' });
    const one = JSON.parse(near.stdout);
    delete one.end.sum_sent_bidir_reverse;
    delete one.end.sum_received_bidir_reverse;
    const r = reading('simultaneous', { phases: phases(JSON.stringify(one)) });
    expect(r.ending.outcome).not.toBe('completed');
  });

  test('an error spoils both', () => {
    const broken = JSON.stringify({
      start: {},
      intervals: [],
      end: {},
      error: 'unable to connect: Connection refused',
    });
    const r = reading('simultaneous', { phases: phases(broken).slice(0, 1) });
    expect(r.ending).toMatchObject({ outcome: 'failed', reason: 'connection-refused' });
    expect(r.metrics.length).toBeGreaterThanOrEqual(30);
    expect(
      r.metrics.every(
        ({ value, reason, labels }) => value === null && reason === 'attempt-failed' && labels?.direction,
      ),
    ).toBe(true);
  });
});
