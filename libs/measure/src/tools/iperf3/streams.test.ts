import { readFileSync } from 'node:fs';
import type { End, SocketSample } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { ThroughputResult, ThroughputSpec } from '../../measurements/throughput/index.js';
import { valueIn } from '../../test-support/reading.js';
import { optionOf } from './argv.js';
import { read } from './read.js';

type Program = Pick<PhaseOutput, 'argv' | 'exitCode' | 'signal' | 'stdout' | 'stderr'>;
const recording = (name: string): { near: Program; far?: Program } =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'));
function reading(name: string, more: Partial<AttemptOutput> = {}): Reading {
  const { near, far } = recording(name);
  const phases: PhaseOutput[] = [{ end: 'near', name: 'test', tool: 'iperf3', ...near }];
  if (far) phases.push({ end: 'far', name: 'server', tool: 'iperf3', ...far });
  const spec = ThroughputSpec.parse({
    direction: near.argv.includes('-R') ? 'reverse' : 'forward',
    durationS: Number(optionOf(near.argv, '-t')),
    omitS: Number(optionOf(near.argv, '-O') ?? 0),
    streams: Number(optionOf(near.argv, '-P')),
  });
  return read(spec, { phases, samples: [], snapshots: {}, ending: { outcome: 'completed' }, ...more });
}
const clientEnd = (name: string) => JSON.parse(recording(name).near.stdout).end;
const each = (r: Reading, name: string) =>
  r.metrics.filter((m) => m.name === name && m.labels?.stream !== undefined).map((m) => m.value);

describe('several streams', () => {
  test.each(['3.12-three-streams', '3.12-four-streams-reverse', '3.17-eight-streams'])('%s', (name) => {
    const r = reading(name);
    const { sum_received, streams } = clientEnd(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'throughput')).toBeCloseTo((sum_received.bytes * 8) / sum_received.seconds, 3);
    const rates = streams.map(({ receiver }: { receiver: { bytes: number; seconds: number } }) =>
      ((receiver.bytes * 8) / receiver.seconds).toFixed(3),
    );
    expect(each(r, 'throughput').map((value) => value?.toFixed(3))).toEqual(rates);
    expect(new Set(r.metrics.flatMap((m) => m.labels?.stream ?? []))).toEqual(
      new Set(rates.map((_: string, i: number) => String(i + 1))),
    );
    expect(ThroughputResult.parse(JSON.parse(JSON.stringify(r.result))).streams).toHaveLength(rates.length);
  });

  test('even streams are fair, and streams in the ratios of 1 to 8 are as Jain says', () => {
    expect(valueIn(reading('3.12-three-streams'), 'fairness')).toBeCloseTo(1, 6);
    // (sum of 1 to 8)^2 / (8 times the sum of their squares).
    expect(valueIn(reading('3.17-eight-streams'), 'fairness')).toBeCloseTo(36 ** 2 / (8 * 204), 4);
  });

  test('retransmits are the sum, windows the widest, round trips the mean', () => {
    const r = reading('3.17-eight-streams');
    expect([valueIn(r, 'retransmits'), each(r, 'retransmits')]).toEqual([56, [0, 2, 4, 6, 8, 10, 12, 14]]);
    expect([valueIn(r, 'cwnd.max'), valueIn(r, 'rtt.mean')]).toEqual([8 * 144_800, 20.35]);
  });

  test('iperf3 with a thread for each stream may fill more than one core (A15)', () => {
    const r = reading('3.17-eight-streams');
    expect([valueIn(r, 'cpu.sender'), valueIn(r, 'cpu.receiver')]).toEqual([2.4, 3.102]);
  });

  test('ten streams whose total --omit inflated give way to their own intervals (A11)', () => {
    const r = reading('3.9-omit-inflated-ten-streams');
    expect(valueIn(r, 'throughput')).toBeCloseTo(924e6, 0);
    expect(each(r, 'throughput').map((bps) => Math.round(bps ?? 0))).toEqual(Array(10).fill(92_400_000));
    expect(r.notes.filter((note) => note.includes('more than 1 %'))).toHaveLength(1);
  });

  test('buffer sizes once a stream, and a tos with 64 bits, are no trouble (A22); the sizes are the doubled ones (A35)', () => {
    expect(recording('3.9-omit-inflated-ten-streams').near.stdout.match(/sndbuf_actual/g)).toHaveLength(10);
    const r = reading('3.9-omit-inflated-ten-streams');
    expect(r.ending.outcome).toBe('completed');
    expect(r.result).toMatchObject({ buffers: { sndBufBytes: 16_384, rcvBufBytes: 131_072 } });
  });

  test('streams of which nobody told the receiver’s count are unknown, not 0', () => {
    const { near } = recording('3.12-three-streams');
    const document = JSON.parse(near.stdout);
    document.end.sum_received.bytes = 0;
    for (const { receiver } of document.end.streams) receiver.bytes = 0;
    const stdout = JSON.stringify({ ...document, error: 'control socket has closed unexpectedly' });
    const r = reading('3.12-three-streams', {
      phases: [{ end: 'near', name: 'test', tool: 'iperf3', ...near, stdout }],
    });
    expect(r.ending).toMatchObject({ outcome: 'partial' });
    expect(valueIn(r, 'throughput')).toBe('receiver-totals-missing');
    expect(valueIn(r, 'fairness')).toBe('receiver-totals-missing');
    expect(each(r, 'throughput')).toEqual([null, null, null]);
  });

  test('a test that failed has no number of any stream', () => {
    const { near } = recording('3.12-three-streams');
    const phases: PhaseOutput[] = [{ end: 'near', name: 'test', tool: 'iperf3', ...near, stdout: '' }];
    const r = reading('3.12-three-streams', { phases });
    expect(valueIn(r, 'fairness')).toBe('attempt-failed');
    expect(r.metrics.every((m) => m.value === null && m.labels === undefined)).toBe(true);
  });
});

describe('the sampled sockets of several streams', () => {
  const first = 41_001;
  const sample = (end: End, stream: number, elapsedMs: number, more: Partial<SocketSample>): SocketSample => ({
    end,
    elapsedMs,
    localAddress: '127.0.0.1',
    localPort: end === 'near' ? first + stream - 1 : 40_003,
    peerAddress: '127.0.0.1',
    peerPort: end === 'near' ? 40_003 : first + stream - 1,
    state: 'ESTAB',
    ...more,
  });
  // Three streams, connected 400 ms apart; the measured part begins 1 s after the last.
  const samples = [1, 2, 3].flatMap((stream) => [
    sample('near', stream, stream * 400, { busyMs: 0, rwndLimitedMs: 0, bytesSent: 0, rttMs: 900 }),
    sample('near', stream, 2100, { busyMs: 900, rwndLimitedMs: 0, bytesSent: 1e6, bytesRetransmitted: 0, rttMs: 900 }),
    sample('near', stream, 2300, { rttMs: 40 + stream, sndWndBytes: stream * 1e7, congestionControl: 'cubic' }),
    sample('near', stream, 4100, {
      busyMs: 2900,
      rwndLimitedMs: stream === 1 ? 1200 : 0,
      sndbufLimitedMs: 0,
      bytesSent: 3e6,
      bytesRetransmitted: stream * 1e5,
      rttMs: 50 + stream,
      congestionControl: 'cubic',
    }),
    sample('far', stream, 1200, {}),
    sample('far', stream, 2250, { congestionControl: stream === 2 ? 'bbr' : 'cubic', rcvBufBytes: 6e6 }),
  ]);

  test('shares are of the busy time of all, the widest window counts, and the test begins with the last stream', () => {
    const r = reading('3.12-three-streams', { samples });
    expect(valueIn(r, 'limited.receive-window')).toBeCloseTo(1200 / 6000, 9);
    expect(valueIn(r, 'efficiency')).toBeCloseTo(1 - 6e5 / 6e6, 9);
    expect([valueIn(r, 'rtt.min'), valueIn(r, 'rtt.max'), valueIn(r, 'window.max')]).toEqual([41, 53, 3e7]);
    expect(valueIn(r, 'window.max', { stream: '2' })).toBe(2e7);
    expect(valueIn(r, 'rtt.mean', { stream: '2' })).toBeCloseTo(47, 9);
  });

  test('both ends are joined: who measured what, what each really ran', () => {
    const r = reading('3.12-three-streams', { samples });
    const { ends } = ThroughputResult.parse(JSON.parse(JSON.stringify(r.result)));
    expect(ends).toMatchObject([
      {
        end: 'near',
        role: 'sender',
        toolVersion: '3.12',
        congestionControl: 'cubic',
        congestionControlSampled: true,
        sockets: { count: 3, samples: 6, sndWndMaxBytes: 3e7 },
        measured: expect.arrayContaining(['retransmits', 'rtt.mean', 'window.max', 'cpu.sender']),
      },
      {
        end: 'far',
        role: 'receiver',
        toolVersion: '3.12',
        congestionControl: 'bbr, cubic',
        sockets: { count: 3, samples: 3, rcvBufMaxBytes: 6e6 },
        measured: expect.arrayContaining(['throughput', 'fairness', 'cpu.receiver']),
      },
    ]);
    const { cpu_utilization_percent: cpu } = clientEnd('3.12-three-streams');
    expect(ends?.map(({ cpuRatio }) => cpuRatio)).toEqual([cpu.host_total / 100, cpu.remote_total / 100]);
    const { measured } = ends?.[1] ?? { measured: [] };
    expect(measured.filter((name) => ends?.[0]?.measured.includes(name))).toEqual([]);
  });

  test('in reverse the far end is the sender, and what nobody sampled is what iperf3 says', () => {
    const { ends } = ThroughputResult.parse(reading('3.12-four-streams-reverse').result);
    expect(ends).toMatchObject([
      { end: 'far', role: 'sender', congestionControl: 'bbr', congestionControlSampled: false },
      { end: 'near', role: 'receiver', congestionControl: 'bbr', congestionControlSampled: false },
    ]);
    expect(ends?.map(({ sockets }) => sockets)).toEqual([undefined, undefined]);
    expect(ends?.[1]?.measured).toContain('throughput');
  });

  test('the congestion control is what the sockets ran, not what iperf3 says', () => {
    const result = ThroughputResult.parse(reading('3.12-three-streams', { samples }).result);
    expect(result.congestionControl).toEqual({ sender: 'cubic', receiver: 'bbr, cubic' });
    expect(result.sockets.receiver?.congestionControl).toBeUndefined();
    expect(result.streams?.map(({ sockets }) => sockets.receiver?.congestionControl)).toEqual([
      'cubic',
      'bbr',
      'cubic',
    ]);
  });
});
