import { readdirSync, readFileSync } from 'node:fs';
import type { SocketSample } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProbeHost } from '../../ability.js';
import { ThroughputResult, ThroughputSpec } from '../../measurements/throughput/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { nuttcp, throughputByNuttcp } from './index.js';
import { parseNuttcp } from './parse.js';
import { read } from './read.js';

const folder = new URL('./fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const clientOf = ({ phases }: Recording) => phases.find(({ name }) => name === 'test');
function specOf(r: Recording, more: object = {}): ThroughputSpec {
  const argv = clientOf(r)?.argv ?? [];
  const direction = argv.includes('-r') ? 'reverse' : 'forward';
  return ThroughputSpec.parse({ direction, durationS: Number(argv[argv.indexOf('-T') + 1]), ...more });
}
const reading = (name: string) => read(specOf(recording(name)), outputOf(recording(name)));
const lastLine = (name: string) => clientOf(recording(name))?.stdout.trim().split('\n').at(-1) ?? '';

describe('throughput by nuttcp', () => {
  test.each(['6.1.2-forward', '6.1.2-reverse', '6.1.2-window', '6.1.2-v6'])('%s: the receiver’s rate', (name) => {
    const r = reading(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'throughput')).toBeCloseTo(Number(/rate_Mbps=([\d.]+)/.exec(lastLine(name))?.[1]) * 1e6, 3);
    expect(valueIn(r, 'cpu.receiver')).toBe(Number(/rx_cpu=(\d+)/.exec(lastLine(name))?.[1]) / 100);
    expect(valueIn(r, 'rtt.baseline')).toBeGreaterThan(40);
    expectSound(r);
  });

  test('megabytes are binary, and the bytes fit the rate', () => {
    const { totals, intervals } = ThroughputResult.parse(reading('6.1.2-forward').result);
    const { bytes = 0, durationS = 0, rateBps = 0 } = totals.receiver ?? {};
    expect((bytes * 8) / durationS / rateBps).toBeCloseTo(1, 1);
    expect(Math.abs((bytes * 8) / durationS / rateBps - 1)).toBeLessThan(0.005);
    expect(intervals.receiver.length).toBeGreaterThan(1);
  });

  test('its own count of retransmissions is not believed: the socket’s is used, or none', () => {
    expect(valueIn(reading('6.1.2-forward'), 'retransmits')).toBe('counter-not-available');
    const argv = clientOf(recording('6.1.2-forward'))?.argv ?? [];
    const peerPort = Number(argv[argv.indexOf('-p') + 1]);
    const at = (elapsedMs: number, segmentsRetransmitted: number): SocketSample => ({
      end: 'near',
      elapsedMs,
      localAddress: '192.0.2.1',
      localPort: 40_000,
      peerAddress: '192.0.2.66',
      peerPort,
      state: 'ESTAB',
      segmentsRetransmitted,
    });
    const r = read(
      specOf(recording('6.1.2-forward')),
      outputOf(recording('6.1.2-forward'), { samples: [at(250, 0), at(2500, 127)] }),
    );
    expect(valueIn(r, 'retransmits')).toBe(127);
    expect(r.notes.join()).toContain("nuttcp says 0 retransmitted segments; the kernel's counter says 127");
  });

  test('the receiver’s total is missing: partial, and no throughput', () => {
    const r = reading('6.1.2-server-killed');
    expect(r.ending).toMatchObject({ outcome: 'partial', reason: 'control-connection-lost' });
    expect(valueIn(r, 'throughput')).toBe('receiver-totals-missing');
    expectSound(r);
  });

  test('nothing listens', () => {
    expect(reading('6.1.2-refused').ending).toMatchObject({ reason: 'connection-refused' });
  });

  test('what it says without its server is no measurement (A47)', () => {
    const words =
      'Info: attempting to switch to deprecated classic mode\nInfo: will use less reliable transmitter side statistics\nnuttcp-t: v8.1.4: Error: connect: Connection refused\nerrno=111\n';
    const total = 'megabytes=100.0000 real_seconds=3.00 rate_Mbps=279.6200 tx_cpu=1 rx_cpu=1\n';
    for (const stderr of [words, words.split('\n').slice(0, 2).join('\n')]) {
      const altered = withText(recording('6.1.2-forward'), 'test', { stdout: total, stderr });
      const r = read(specOf(altered), outputOf(altered));
      expect(r.ending.outcome).toBe('failed');
      expect(valueIn(r, 'throughput')).toBe('attempt-failed');
    }
  });

  test.each([
    ['', '', 'output-empty'],
    ['?', '', 'output-unreadable'],
    ['megabytes=1.0 real_sec=1.00 rate_Mbps=8.3886\n', '', 'receiver-totals-missing'],
    ['megabytes=1.0 real_seconds=1.00 rate_Mbps=8.3886\n', '', 'interrupted'],
    ['', 'nuttcp-t: v6.1.2: Error: connect: No route to host\n', 'no-route'],
    ['', 'nuttcp-t: v6.1.2: Error: connect: Connection timed out\n', 'connection-timed-out'],
  ])('output %j %j: %s', (stdout, stderr, reason) => {
    const altered = withText(recording('6.1.2-forward'), 'test', { stdout, stderr });
    const r = read(specOf(altered), outputOf(altered));
    expect(r.ending).toMatchObject({ reason });
    expectSound(r);
  });
});

describe('its lines', () => {
  test('are read by key, wherever it stands (A45)', () => {
    const line =
      'rx_cpu=3 rate_Mbps=50.0000 drop=88 pkt=5 megabytes=59.6046 host-retrans=9 real_seconds=10.00 rtt_ms=44.98';
    expect(parseNuttcp(line, '').total).toEqual({
      bytes: 62_499_953,
      durationS: 10,
      rateBps: 50e6,
      cpuReceiver: 0.03,
      cpuTransmitter: undefined,
      retransmits: undefined,
      rttMs: 44.98,
    });
    expect(
      parseNuttcp('nuttcp-t: megabytes=7.6250 real_seconds=3.00 rate_KBps=2602.52 rate_Mbps=21.3198', '').total,
    ).toBeUndefined();
    expect(parseNuttcp('what is this', '').notes).toEqual(['nuttcp printed: what is this']);
  });

  test.each(names)('%s, mutated', (name) => {
    const original = recording(name);
    const { stdout = '', stderr = '' } = clientOf(original) ?? {};
    fc.assert(
      fc.property(mutated(stdout), mutated(stderr), (out, err) => {
        expectSound(read(specOf(original), outputOf(withText(original, 'test', { stdout: out, stderr: err }))));
      }),
      { numRuns: 40 },
    );
  });
});

describe('what is asked', () => {
  const host: ProbeHost = { tools: { nuttcp: 'nuttcp-6.1.2' }, congestionControls: [] };
  const ends = { near: '192.0.2.1', far: '192.0.2.2' };
  function both(raw: object, morePorts: readonly number[] = [5302]) {
    const prepared = throughputByNuttcp.prepare({ direction: 'forward', durationS: 10, ...raw });
    const credentials = { publicKeyPem: '', privateKeyPem: '', user: '', password: '' };
    const input = { address: ends.far, port: 5301, peerAddress: ends.near, nearFacts: {}, credentials, morePorts };
    const answer = prepared.far(host, input);
    const near = { address: ends.near, peerAddress: ends.far, localPort: 1, peer: answer?.peer };
    return { server: answer?.servers[0], client: prepared.near(host, near).at(-1) };
  }

  test('two ports, both at the far end, both opened by the client (C25)', () => {
    const { server, client } = both({});
    expect(server?.argv.join(' ')).toBe('nuttcp -1 -4 -P 5301 --nofork --no3rdparty');
    expect(server?.listensOn).toEqual({ protocol: 'tcp', port: 5301 });
    expect(client?.argv.join(' ')).toBe('nuttcp -4 -P 5301 -p 5302 -T 10 -i 1 -fparse -t 192.0.2.2');
    expect(both({}, [5400]).client?.argv.join(' ')).toContain('-P 5301 -p 5400');
    expect(both({ direction: 'reverse' }).client?.argv.join(' ')).toContain('-r -F');
    expect(client?.sockets).toEqual({ peerPort: 5302, peerAddress: ends.far });
  });

  test('window, MSS, DSCP and rate in its own units', () => {
    const argv = both({ windowBytes: 65_536, mssBytes: 1400, dscp: 10, rateBps: 5_000_000 }).client?.argv.join(' ');
    expect(argv).toContain('-w64 -ws64 -M1400 -c10 -R5000k');
  });

  test('what it cannot do is refused', () => {
    const refusal = (raw: object, tools: ProbeHost['tools'] = host.tools) =>
      throughputByNuttcp.prepare({ direction: 'forward', durationS: 10, ...raw }).refuses('far', { ...host, tools });
    expect(refusal({}, {})).toMatchObject({ reason: 'tool-missing', detail: expect.stringContaining('nuttcp') });
    expect(refusal({}, { nuttcp: 'nuttcp-5.3.1' })).toMatchObject({ reason: 'tool-too-old' });
    for (const raw of [{ omitS: 1 }, { congestionControl: 'cubic' }, { windowBytes: 1500 }])
      expect(refusal(raw)).toMatchObject({
        reason: 'parameter-unsupported',
        detail: expect.stringContaining('iperf3'),
      });
    expect(refusal({})).toBeUndefined();
    expect(nuttcp.parseVersion('nuttcp-6.1.2')).toBe('6.1.2');
    expect(nuttcp.parseVersion('nuttcp-v8.2.2')).toBe('8.2.2');
  });
});
