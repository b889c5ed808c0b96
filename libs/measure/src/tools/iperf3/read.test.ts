import { readFileSync } from 'node:fs';
import type { Ending, Metric } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { ThroughputResult, ThroughputSpec } from '../../measurements/throughput/index.js';
import { read } from './read.js';

type Program = Pick<PhaseOutput, 'argv' | 'exitCode' | 'signal' | 'stdout' | 'stderr'>;
const recording = (name: string): { near: Program; far?: Program } =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), 'utf8'));

const completed: Ending = { outcome: 'completed' };
function outputOf(name: string, more: Partial<AttemptOutput> = {}): AttemptOutput {
  const { near, far } = recording(name);
  const phases: PhaseOutput[] = [{ end: 'near', name: 'test', tool: 'iperf3', ...near }];
  if (far) phases.push({ end: 'far', name: 'server', tool: 'iperf3', ...far });
  return { phases, samples: [], snapshots: {}, ending: completed, ...more };
}
const specOf = (raw: object = {}): ThroughputSpec =>
  ThroughputSpec.parse({ direction: 'forward', durationS: 2, ...raw });
const reading = (name: string, spec: object = {}, more: Partial<AttemptOutput> = {}): Reading =>
  read(specOf(spec), outputOf(name, more));
const valueIn = (r: Reading, name: string): Metric['value'] | string =>
  r.metrics.map((m) => [m.name, m.value ?? m.reason ?? null] as const).find(([n]) => n === name)?.[1] ?? 'absent';
const endOf = (name: string): Record<string, { bytes: number; seconds: number; retransmits: number }> =>
  JSON.parse(recording(name).near.stdout).end;

describe('a test that completed', () => {
  test('forward: the receiver counts, the sender retransmits', () => {
    const r = reading('3.12-forward', { omitS: 1, congestionControl: 'cubic' });
    const { sum_received } = endOf('3.12-forward');
    expect(r.ending).toEqual(completed);
    expect(valueIn(r, 'throughput')).toBeCloseTo(((sum_received?.bytes ?? 0) * 8) / (sum_received?.seconds ?? 1), 3);
    expect(valueIn(r, 'retransmits')).toBe(endOf('3.12-forward').sum_sent?.retransmits);
    expect(valueIn(r, 'rtt.mean')).toBeGreaterThan(0);
    expect(valueIn(r, 'window.max')).toBeGreaterThan(10_000);
    expect(valueIn(r, 'cpu.sender')).toBeLessThan(1);
    expect(valueIn(r, 'limited.receive-window')).toBe('not-measured-here');
    expect(valueIn(r, 'transfer-time-ratio')).toBe('contract-missing');
    expect(r.result).toMatchObject({
      direction: 'forward',
      congestionControl: { sender: 'cubic' },
      versions: { near: '3.12' },
    });
    expect(r.notes).toEqual([]);
  });

  test('reverse: sum_sent is the server, whose own JSON has the window and the RTT', () => {
    const r = reading('3.12-reverse', { omitS: 1, direction: 'reverse' });
    const server = JSON.parse(recording('3.12-reverse').far?.stdout ?? '');
    expect(r.ending).toEqual(completed);
    expect(valueIn(r, 'cwnd.max')).toBe(
      Math.max(...server.intervals.slice(1).map((i: { streams: { snd_cwnd: number }[] }) => i.streams[0]?.snd_cwnd)),
    );
    expect(valueIn(r, 'cpu.receiver')).toBeCloseTo(
      JSON.parse(recording('3.12-reverse').near.stdout).end.cpu_utilization_percent.host_total / 100,
      9,
    );
  });

  test('reverse without the server: its zeros are not measured, not zero (A9)', () => {
    const { near } = recording('3.12-reverse');
    const phases: PhaseOutput[] = [{ end: 'near', name: 'test', tool: 'iperf3', ...near }];
    const r = reading('3.12-reverse', { omitS: 1, direction: 'reverse' }, { phases });
    expect(r.ending).toEqual(completed);
    expect(['cwnd.max', 'window.max', 'rtt.min'].map((name) => valueIn(r, name))).toEqual([
      'not-measured-here',
      'counter-not-available',
      'not-measured-here',
    ]);
  });

  test.each([
    ['3.9-forward', { omitS: 1 }, (4_800_000 * 8) / 2.045, 1, 46.6, 'counter-not-available'],
    ['3.21-forward', {}, (23_850_000 * 8) / 2.02, 3, 21, 3_145_728],
    ['3.17-json-stream', {}, (23_850_000 * 8) / 2.02, 3, 21, 3_145_728],
    ['3.20-json-stream-full', {}, (23_850_000 * 8) / 2.02, 3, 21, 3_145_728],
    [
      '3.12-no-tcp-info',
      {},
      (4_800_000 * 8) / 2.045,
      'counter-not-available',
      'not-measured-here',
      'counter-not-available',
    ],
    ['3.12-server-two-documents', { omitS: 1 }, (4_800_000 * 8) / 2.045, 1, 46.6, 'counter-not-available'],
  ])('%s', (name, spec, throughput, retransmits, rtt, window) => {
    const r = reading(name, spec);
    expect(r.ending).toEqual(completed);
    expect(valueIn(r, 'throughput')).toBeCloseTo(throughput, 3);
    expect(['retransmits', 'rtt.mean', 'window.max'].map((metric) => valueIn(r, metric))).toEqual([
      retransmits,
      rtt,
      window,
    ]);
  });

  test('text before the JSON, bare nan and a key twice (A17, A18, A22)', () => {
    const r = reading('3.9-odd', { omitS: 1 });
    expect(r.ending).toEqual(completed);
    expect(r.result).toMatchObject({ buffers: { sndBufBytes: 87_040 } });
    expect(r.notes.slice(0, 2)).toEqual([
      expect.stringContaining('warning: Ignoring nonsense TCP MSS'),
      expect.stringContaining('nan'),
    ]);
  });

  test('a total that --omit inflated gives way to its own intervals (A11)', () => {
    const r = reading('3.9-omit-inflated', { direction: 'reverse', durationS: 1, omitS: 1 });
    expect(valueIn(r, 'throughput')).toBeCloseTo(924e6, 0);
    expect(r.notes[0]).toMatch(/receiver's total: .* 950000000 .* 924000000 .*more than 1 %/);
  });

  test('another algorithm than the one asked for is no answer to the test', () => {
    expect(reading('3.12-forward', { omitS: 1, congestionControl: 'bbr' }).ending).toMatchObject({
      reason: 'tool-failed',
    });
  });

  test('the result keeps its form', () => {
    for (const name of ['3.12-forward', '3.9-forward']) {
      const { result } = reading(name, { omitS: 1 });
      expect(ThroughputResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(JSON.parse(JSON.stringify(result)));
    }
  });
});

describe('a test that did not', () => {
  test.each([
    ['3.12-refused', 'failed', 'connection-refused'],
    ['3.17-json-stream-refused', 'failed', 'connection-refused'],
    ['3.12-busy', 'failed', 'server-busy'],
    ['3.12-no-route', 'failed', 'no-route'],
    ['3.12-connect-timeout', 'failed', 'connection-timed-out'],
    ['3.12-port-in-use', 'failed', 'port-in-use'],
    ['3.12-unauthorised', 'failed', 'authentication-failed'],
    ['3.12-congestion-control', 'refused', 'congestion-control-unavailable'],
    ['3.12-option-unknown', 'refused', 'tool-too-old'],
    ['3.12-window-refused', 'failed', 'socket-buffer-refused'],
    ['3.1.3-window-refused', 'failed', 'socket-buffer-refused'],
    ['3.12-client-killed', 'failed', 'output-empty'],
    ['3.12-client-terminated', 'partial', 'interrupted'],
    ['3.19-terminated', 'partial', 'interrupted'],
    ['3.12-server-killed', 'partial', 'control-connection-lost'],
    ['3.12-server-killed-reverse', 'partial', 'control-connection-lost'],
    ['3.12-server-terminated', 'partial', 'control-connection-lost'],
    ['3.17-json-stream-control-lost', 'partial', 'control-connection-lost'],
    ['3.9-control-lost', 'partial', 'control-connection-lost'],
    ['3.12-error-beside-totals', 'partial', 'control-connection-lost'],
  ])('%s is %s, %s, whatever its exit code', (name, outcome, reason) => {
    const reverse = /reverse|3.19/.test(name);
    const spec = { windowBytes: 400_000_000, ...(reverse ? { direction: 'reverse' } : {}) };
    for (const exitCode of [0, 1]) {
      const phases = outputOf(name).phases.map((phase) => ({ ...phase, exitCode }));
      const r = reading(name, spec, { phases });
      expect(r.ending).toMatchObject({ outcome, reason });
      if (outcome !== 'partial')
        expect(r.metrics.every((m) => m.value === null && m.reason === 'attempt-failed')).toBe(true);
    }
  });

  test('zero bytes that the receiver never told are not 0 bit/s (A4)', () => {
    const r = reading('3.9-control-lost', { durationS: 3 });
    expect(valueIn(r, 'throughput')).toBe('receiver-totals-missing');
    expect(valueIn(r, 'rtt.mean')).toBe(46);
    expect(r.result).toMatchObject({ intervals: { sender: [{ rateBps: 19.2e6 }, {}, {}] } });
  });

  test('what a reverse test had received until it was interrupted is kept (A3)', () => {
    const r = reading('3.19-terminated', { direction: 'reverse', durationS: 10 });
    expect(valueIn(r, 'throughput')).toBeCloseTo((28_100_000 * 8) / 2.4, 3);
  });

  test("the server's words and the sysctl that bit are in the detail (A34)", () => {
    const snapshot = { takenAt: '2026-01-01T00:00:00Z', tools: {}, unknown: {} };
    const snapshots = {
      near: { ...snapshot, sysctls: { 'net.core.rmem_max': '16777216', 'net.core.wmem_max': '212992' } },
    };
    const { ending } = reading('3.12-window-refused', { windowBytes: 426_000 }, { snapshots });
    expect(ending).toMatchObject({
      detail: expect.stringMatching(/the server said: .*socket buffer.*net.core.wmem_max of the near host is 212992$/),
    });
  });

  test('what the probe saw first wins over what iperf3 printed', () => {
    for (const reason of ['deadline-exceeded', 'cancelled-by-user', 'probe-lost'] as const) {
      const ending = { outcome: 'timed-out', reason } as const;
      const r = reading('3.12-forward', { omitS: 1 }, { ending });
      expect(r.ending).toEqual(ending);
      expect(r.metrics.every((m) => m.value === null)).toBe(true);
    }
    const toolFailed = { outcome: 'failed', reason: 'tool-failed' } as const;
    expect(reading('3.12-busy', {}, { ending: toolFailed }).ending).toMatchObject({ reason: 'server-busy' });
    expect(reading('3.12-forward', { omitS: 1 }, { ending: toolFailed }).ending).toMatchObject({
      reason: 'tool-failed',
    });
  });

  test('nothing, rubbish, and the answer to another test', () => {
    const near = (stdout: string, spec: object = {}) => {
      const phases: PhaseOutput[] = [{ ...outputOf('3.12-forward').phases[0]!, stdout }];
      return reading('3.12-forward', { omitS: 1, ...spec }, { phases }).ending;
    };
    expect(near('')).toMatchObject({ reason: 'output-empty' });
    expect(near('iperf3 says hello\n')).toMatchObject({ reason: 'output-unreadable' });
    expect(near('{"start":{},"intervals":[],"end":{}}')).toMatchObject({ reason: 'output-empty' });
    const { stdout } = recording('3.12-forward').near;
    expect(near(stdout.slice(0, -40))).toMatchObject({ reason: 'output-unreadable' });
    expect(near(stdout, { direction: 'reverse' })).toMatchObject({
      reason: 'output-unreadable',
      detail: expect.stringContaining('another test'),
    });
    expect(near(stdout, { durationS: 3 })).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
    expect(reading('3.12-forward', { omitS: 0 }).notes).toContainEqual(expect.stringContaining('left out 1 s'));
    expect(reading('3.12-forward', {}, { phases: [] }).ending).toMatchObject({ reason: 'output-empty' });
  });

  test('a counter of 2^53 is refused, and half a test is no test', () => {
    const { stdout } = recording('3.12-no-tcp-info').near;
    const withStdout = (changed: string) => {
      expect(changed).not.toBe(stdout);
      const phases: PhaseOutput[] = [{ ...outputOf('3.12-no-tcp-info').phases[0]!, stdout: changed }];
      return reading('3.12-no-tcp-info', {}, { phases });
    };
    const overflow = withStdout(stdout.replaceAll('4800000', '9007199254740992'));
    expect(overflow.ending).toMatchObject({ outcome: 'failed', reason: 'counter-overflow' });
    expect(overflow.metrics.every((m) => m.value === null)).toBe(true);
    expect(withStdout(stdout.replaceAll('2.045', '1.045')).ending).toMatchObject({
      outcome: 'partial',
      reason: 'interrupted',
    });
    expect(withStdout(stdout.replace('sum_received', 'sum_lost')).ending).toMatchObject({
      reason: 'receiver-totals-missing',
    });
  });
});
