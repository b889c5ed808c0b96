import { readFileSync } from 'node:fs';
import type { Ending, Metric } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PhaseOutput, ProbeHost } from '../../ability.js';
import type { Recording } from '../../test-support/reading.js';
import { rttByPing } from './index.js';
import { parsePing } from './parse.js';

const recorded = (name: string): string => {
  const url = new URL(`./fixtures/${name}.json`, import.meta.url);
  const { phases }: Recording = JSON.parse(readFileSync(url, 'utf8'));
  return phases[0]?.stdout ?? '';
};
const good = recorded('20221126-replies');
const silent = recorded('20221126-silent');
const unreachable = recorded('20221126-unreachable');
const busybox = recorded('busybox-1.36.1-shape');
const six = recorded('20240905-shape-v6');

const spec = { count: 3, intervalS: 0.2 };
function readingOf(
  stdout: string,
  more: Partial<PhaseOutput> = {},
  raw: object = spec,
  ending: Ending = { outcome: 'completed' },
) {
  const phase: PhaseOutput = {
    end: 'near',
    name: 'ping',
    tool: 'ping',
    argv: ['ping'],
    exitCode: 0,
    signal: null,
    stdout,
    stderr: '',
    ...more,
  };
  return rttByPing.prepare(raw).read({ phases: [phase], samples: [], snapshots: {}, ending });
}
const values = (metrics: readonly Metric[]) => Object.fromEntries(metrics.map((m) => [m.name, m.value ?? m.reason]));
const toolFailed: Ending = { outcome: 'failed', reason: 'tool-failed' };

describe('what ping printed', () => {
  test('replies, and nothing that is not understood', () => {
    const { ending, metrics, notes } = readingOf(good);
    expect(ending).toEqual({ outcome: 'completed' });
    expect(values(metrics)).toMatchObject({ 'rtt.min': 0.033, 'rtt.p50': 0.043, 'rtt.p95': 0.082, loss: 0 });
    expect(values(metrics).jitter).toBeCloseTo((0.01 + 0.039) / 2, 9);
    expect(notes).toEqual([]);
  });

  test.each([
    ['silence', silent, []],
    ['ICMP errors', unreachable, ['3 ICMP errors from 192.0.2.1: Destination Host Unreachable']],
  ])('%s is loss 1, not a failure, though the exit code is 1', (_name, stdout, notes) => {
    const reading = readingOf(stdout, { exitCode: 1 }, spec, toolFailed);
    expect(reading.ending).toEqual({ outcome: 'completed' });
    expect(values(reading.metrics)).toMatchObject({ loss: 1, 'rtt.min': 'no-reply', 'rtt.p95': 'no-reply' });
    expect(reading.notes).toEqual(notes);
  });

  test('BusyBox counts from 0 and has no mdev (A54); duplicates are no replies', () => {
    const { ending, metrics, result } = readingOf(busybox);
    expect(ending).toEqual({ outcome: 'completed' });
    expect(result).toMatchObject({ sent: 3, received: 2, duplicates: 1, rttsMs: [0.833, 0.207, null] });
    expect(values(metrics).loss).toBeCloseTo(1 / 3, 12);
  });

  test('IPv6, a duplicate, and an error from a hop', () => {
    const { ending, result } = readingOf(six);
    expect(ending).toEqual({ outcome: 'completed' });
    expect(result).toMatchObject({
      received: 2,
      duplicates: 1,
      rttsMs: [88.9, 44.4, null],
      errors: [{ from: '2001:db8::fe', count: 1 }],
    });
  });

  test('the first requests can be left out: they wait for ARP', () => {
    const { result, metrics } = readingOf(good, {}, { ...spec, count: 2, omitCount: 1 });
    expect(result).toMatchObject({ sent: 2, rttsMs: [0.043, 0.082], omitted: 1 });
    expect(values(metrics)['rtt.min']).toBe(0.043);
  });

  test('loss comes from counts, not from the printed percentage (A51)', () => {
    const line = (n: number) => `64 bytes from 192.0.2.2: icmp_seq=${n} ttl=64 time=1.00 ms`;
    const lines = Array.from({ length: 39 }, (_, i) => line(i + 1)).join('\n');
    const text = `PING 192.0.2.2 (192.0.2.2) 56(84) bytes of data.\n${lines}\n\n--- 192.0.2.2 ping statistics ---\n`;
    const { metrics } = readingOf(
      `${text}40 packets transmitted, 39 received, 25% packet loss, time 9ms\n`,
      {},
      { ...spec, count: 40 },
    );
    expect(values(metrics).loss).toBe(0.025);
  });

  test('a decimal comma is a point (A53), and said', () => {
    const { metrics, notes } = readingOf(good.replace('0.082 ms\n', '30,406 ms\n'));
    expect(values(metrics)['rtt.max']).toBe(30.406);
    expect(notes).toEqual([expect.stringContaining('comma')]);
  });

  test('sequence numbers go round after 65535', () => {
    const reply = (seq: number) => `64 bytes from 192.0.2.2: icmp_seq=${seq} ttl=64 time=1.00 ms`;
    const seqs = Array.from({ length: 66_000 }, (_, i) => reply((i + 1) % 65_536));
    const parsed = parsePing(`PING x (192.0.2.2) 56(84) bytes of data.\n${seqs.join('\n')}\n`);
    expect(parsed.duplicates).toBe(0);
    expect(parsed.replies.at(-1)?.index).toBe(65_999);
  });
});

describe('what is no measurement', () => {
  test.each([
    ['ping: connect: Network is unreachable\n', 'no-route'],
    ['ping: bind: Cannot assign requested address\n', 'local-address-unavailable'],
    ['ping: nosuch.invalid: Temporary failure in name resolution\n', 'tool-failed'],
    ['ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\n', 'tool-failed'],
    ['ping: cannot flood; minimal interval allowed for user is 200ms\n', 'parameter-unsupported'],
  ])('%j is %s', (stderr, reason) => {
    const reading = readingOf('', { exitCode: 2, stderr }, spec, toolFailed);
    expect(reading.ending).toMatchObject({ reason });
    expect(values(reading.metrics).loss).toBe('attempt-failed');
  });

  test('requests that the host itself could not send are no loss of the path', () => {
    const stderr = 'ping: sendmsg: Network is unreachable\n'.repeat(3);
    expect(readingOf(silent, { exitCode: 1, stderr }, spec, toolFailed).ending).toMatchObject({ reason: 'no-route' });
  });

  test('a summary that its own lines contradict', () => {
    const reading = readingOf(good.replace('64 bytes from 127.0.0.1: icmp_seq=2', 'xx'));
    expect(reading.ending).toMatchObject({ reason: 'output-unreadable', detail: expect.stringContaining('2 replies') });
  });

  test('a cut output is partial with replies, and unreadable without', () => {
    expect(readingOf(good.slice(0, 150), { exitCode: null, signal: 'SIGTERM' }).ending).toMatchObject({
      reason: 'tool-killed',
    });
    expect(readingOf(good.slice(0, 170)).ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
    expect(readingOf(good.slice(0, 60)).ending).toMatchObject({ reason: 'output-unreadable' });
    expect(readingOf('').ending).toMatchObject({ reason: 'output-empty' });
    expect(readingOf(good, {}, { ...spec, count: 5 }).ending).toMatchObject({
      outcome: 'partial',
      reason: 'interrupted',
    });
  });

  test('what the probe saw first', () => {
    const timedOut: Ending = { outcome: 'timed-out', reason: 'deadline-exceeded' };
    expect(readingOf(good, {}, spec, timedOut).ending).toEqual(timedOut);
  });

  test('no mutation gives NaN, Infinity, or numbers without an outcome that has them', () => {
    const texts = fc.constantFrom(good, silent, unreachable, busybox, six);
    const character = fc.constantFrom('0', '9', '-', '\n', ' ', 'x', '.', ',');
    fc.assert(
      fc.property(
        texts,
        fc.array(fc.tuple(fc.nat(), fc.nat(40), character), { maxLength: 4 }),
        fc.nat(2),
        (text, cuts, exitCode) => {
          const stdout = cuts.reduce<string>(
            (t, [at, length, c]) => t.slice(0, at % t.length) + c + t.slice((at % t.length) + length),
            text,
          );
          const { ending, metrics } = readingOf(stdout, { exitCode });
          for (const { value, reason } of metrics)
            expect(value === null ? reason : Number.isFinite(value)).toBeTruthy();
          if (ending.outcome !== 'completed' && ending.outcome !== 'partial')
            expect(metrics.every(({ value }) => value === null)).toBe(true);
        },
      ),
      { numRuns: 600 },
    );
  });
});

describe('argv', () => {
  const host = (text: string, root = false): ProbeHost => ({ tools: { ping: text }, congestionControls: [], root });
  const input = { address: '192.0.2.1', peerAddress: '192.0.2.2', localPort: 1, peer: null };
  const iputils = 'ping from iputils 20221126';

  test('has numbers only, no names, and ends by itself', () => {
    const [phase] = rttByPing.prepare({ count: 10, intervalS: 0.1, omitCount: 2 }).near(host(iputils), input);
    expect(phase?.argv).toEqual('ping -n -c 12 -i 0.1 -W 2 -s 56 -I 192.0.2.1 192.0.2.2'.split(' '));
    expect(phase?.timeoutMs).toBeGreaterThan(1200 + 2000);
  });

  test.each([
    [iputils, false, 0.002, undefined],
    ['ping utility, iputils-s20190709', false, 0.1, 'parameter-unsupported'],
    ['ping utility, iputils-s20190709', false, 0.2, undefined],
    ['ping utility, iputils-s20190709', true, 0.1, undefined],
    ['some other ping', false, 0.1, 'parameter-unsupported'],
    ['BusyBox v1.36.1 (2024) multi-call binary.', false, 0.1, undefined],
  ])('%s, root %s, every %d s', (text, root, intervalS, reason) => {
    const refused = rttByPing.prepare({ count: 3, intervalS }).refuses('near', host(text, root));
    expect(refused && 'reason' in refused ? refused.reason : undefined).toBe(reason);
  });

  test('the far side needs nothing', () => {
    const prepared = rttByPing.prepare(spec);
    expect(prepared.refuses('far', { tools: {}, congestionControls: [] })).toBeUndefined();
    expect(prepared.refuses('near', { tools: {}, congestionControls: [] })).toMatchObject({ reason: 'tool-missing' });
    expect(
      prepared.far(host(iputils), {
        address: '',
        port: 1,
        peerAddress: '',
        morePorts: [],
        nearFacts: {},
        credentials: { publicKeyPem: '', privateKeyPem: '', user: '', password: '' },
      }),
    ).toBeUndefined();
  });
});
