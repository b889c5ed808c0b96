import { readFileSync } from 'node:fs';
import { type Ending, ended, type Metric, type SocketSample } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { ThroughputSpec } from '../../measurements/throughput/index.js';
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

describe('with what ss and ping saw', () => {
  const sample = (elapsedMs: number, more: Partial<SocketSample>): SocketSample => ({
    end: 'near',
    elapsedMs,
    localAddress: '127.0.0.1',
    localPort: Number(recording('3.12-forward').near.argv[recording('3.12-forward').near.argv.indexOf('--cport') + 1]),
    peerAddress: '127.0.0.1',
    peerPort: 1,
    state: 'ESTAB',
    ...more,
  });
  const samples = [
    sample(100, {
      rttMs: 90,
      bytesSent: 1e6,
      bytesRetransmitted: 9e5,
      busyMs: 90,
      rwndLimitedMs: 80,
      sndbufLimitedMs: 0,
    }),
    sample(1100, {
      rttMs: 40,
      bytesSent: 2e6,
      bytesRetransmitted: 1e6,
      busyMs: 1000,
      rwndLimitedMs: 500,
      sndbufLimitedMs: 0,
    }),
    sample(2100, {
      rttMs: 50,
      bytesSent: 12e6,
      bytesRetransmitted: 1.5e6,
      busyMs: 2000,
      rwndLimitedMs: 1250,
      sndbufLimitedMs: 100,
      cwndSegments: 1e4,
      mssBytes: 1448,
      sndWndBytes: 123_456_789,
    }),
  ];
  const ping =
    'PING 127.0.0.1 (127.0.0.1) 56(84) bytes of data.\n64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=90 ms\n64 bytes from 127.0.0.1: icmp_seq=2 ttl=64 time=36 ms\n\n--- 127.0.0.1 ping statistics ---\n2 packets transmitted, 2 received, 0% packet loss, time 10ms\n';

  test('the omitted part is left out of counters, shares and round trips', () => {
    const { phases } = outputOf('3.12-forward');
    const baseline = { ...phases[0]!, name: 'baseline', tool: 'ping', stdout: ping };
    const committed = { rateBps: 100e6, layer: 'ip', mtuBytes: 1500 };
    const r = reading('3.12-forward', { omitS: 1, committed }, { samples, phases: [...phases, baseline] });
    const { sum_received } = endOf('3.12-forward');
    expect(valueIn(r, 'limited.receive-window')).toBeCloseTo(0.75, 9);
    expect(valueIn(r, 'limited.send-buffer')).toBeCloseTo(0.1, 9);
    expect(valueIn(r, 'efficiency')).toBeCloseTo(0.95, 9);
    expect([valueIn(r, 'rtt.min'), valueIn(r, 'rtt.mean'), valueIn(r, 'rtt.max')]).toEqual([40, 45, 50]);
    expect([valueIn(r, 'rtt.baseline'), valueIn(r, 'buffer-delay')]).toEqual([36, 0.25]);
    expect(valueIn(r, 'window.max')).toBe(123_456_789);
    expect(valueIn(r, 'cwnd.max')).toBe(14_480_000);
    const ideal = (100e6 * 1460) / 1500;
    expect(valueIn(r, 'transfer-time-ratio')).toBeCloseTo(
      ideal / (((sum_received?.bytes ?? 0) * 8) / (sum_received?.seconds ?? 1)),
      6,
    );
  });

  test("the control socket's samples are not used", () => {
    const control = samples.map((s) => ({ ...s, localPort: s.localPort + 1 }));
    expect(valueIn(reading('3.12-forward', { omitS: 1 }, { samples: control }), 'limited.receive-window')).toBe(
      'not-measured-here',
    );
  });

  test('without TCP_INFO efficiency is unknown, and with it only an estimate, which is said', () => {
    expect(valueIn(reading('3.12-no-tcp-info'), 'efficiency')).toBe('counter-not-available');
    const r = reading('3.9-forward', { omitS: 1 });
    expect(valueIn(r, 'efficiency')).toBeCloseTo(4_810_000 / (4_810_000 + 1448), 9);
    expect(r.notes).toEqual([expect.stringContaining('efficiency is an estimate')]);
  });

  test('a test that was cut off before iperf3 printed its document keeps what the sockets showed', () => {
    const [client] = outputOf('3.12-forward').phases;
    const phases: PhaseOutput[] = [{ ...client!, stdout: client!.stdout.slice(0, 20) }];
    const r = reading('3.12-forward', {}, { phases, samples, ending: ended('interrupted') });
    expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
    expect(valueIn(r, 'rtt.mean')).toBe(60);
    expect(valueIn(r, 'throughput')).toBe('receiver-totals-missing');
    expect(
      valueIn(reading('3.12-forward', {}, { phases, samples: [], ending: ended('interrupted') }), 'rtt.mean'),
    ).toBe('attempt-failed');
  });
});
