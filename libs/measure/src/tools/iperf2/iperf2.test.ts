import { readdirSync, readFileSync } from 'node:fs';
import type { SocketSample } from '@plumbline/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Phase, ProbeHost } from '../../ability.js';
import { TransactionsResult, TransactionsSpec } from '../../measurements/transactions/index.js';
import { expectSound, mutated, outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { iperf2, transactionsByIperf2 } from './index.js';
import { parseIperf2, totalOf } from './parse.js';
import { read } from './read.js';
import { iperf2Can } from './version.js';

const folder = new URL('./fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

/** The spec that a recording was made with, from the client's own argv. */
function specOf({ phases }: Recording): TransactionsSpec {
  const argv = phases.find(({ name }) => name === 'test')?.argv ?? [];
  const option = (flag: string) => Number(argv[argv.indexOf(flag) + 1]);
  const [requestBytes, replyBytes] = argv.includes('-l')
    ? [option('-l'), option('-l')]
    : [option('--bounceback-request'), option('--bounceback-reply')];
  const underLoad = phases.some(({ name }) => name === 'load');
  return TransactionsSpec.parse({ requestBytes, replyBytes, durationS: option('-t'), underLoad });
}
const reading = (name: string) => read(specOf(recording(name)), outputOf(recording(name)));
const textOf = (name: string, phase = 'test') => recording(name).phases.find((p) => p.name === phase)?.stdout ?? '';
/** The bare line that iperf 2 printed, read by hand. */
const bare = (name: string) => {
  const [, endS, count, mean, min, max] =
    /0\.0000-([\d.]+) sec .* (\d+)=([\d.]+)\/([\d.]+)\/([\d.]+)\//.exec(textOf(name)) ?? [];
  return { endS: Number(endS), count: Number(count), mean: Number(mean), min: Number(min), max: Number(max) };
};

describe('transactions that completed', () => {
  test.each(['2.1.8-100-bytes', '2.1.8-64k'])('%s: count / duration, not 1 / mean', (name) => {
    const r = reading(name);
    const { endS, count, mean, min, max } = bare(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'transactions-per-second')).toBeCloseTo(count / endS, 9);
    expect(valueIn(r, 'latency.min')).toBe(min);
    expect(valueIn(r, 'latency.mean')).toBe(mean);
    expect(valueIn(r, 'latency.max')).toBe(max);
    const order = ['latency.min', 'latency.p50', 'latency.p95', 'latency.p99', 'latency.max'].map((m) => valueIn(r, m));
    expect(order).toEqual([...order].sort((a, b) => Number(a) - Number(b)));
    expect(valueIn(r, 'load.throughput')).toBe('not-requested');
    expect(r.notes[0]).toContain('bins of 0.1 ms');
    expect(TransactionsResult.parse(r.result).series.count).toBe(count);
  });

  test('the ratio to the round trip has the ping of the same attempt under it', () => {
    const r = reading('2.1.8-64k');
    const ping = Math.min(...[...textOf('2.1.8-64k', 'baseline').matchAll(/time=([\d.]+)/g)].map((m) => Number(m[1])));
    expect(valueIn(r, 'rtt.baseline')).toBe(ping);
    expect(valueIn(r, 'ratio-to-rtt')).toBeCloseTo(bare('2.1.8-64k').mean / ping, 9);
    const alone = { ...recording('2.1.8-64k'), phases: recording('2.1.8-64k').phases.filter((p) => p.name === 'test') };
    expect(valueIn(read(specOf(alone), outputOf(alone)), 'ratio-to-rtt')).toBe('baseline-missing');
  });

  test('a baseline above the fastest transaction is none', () => {
    const cold = withText(recording('2.1.8-64k'), 'baseline', {
      stdout: textOf('2.1.8-64k', 'baseline').replaceAll(/time=[\d.]+/g, 'time=300'),
    });
    const r = read(specOf(cold), outputOf(cold));
    expect(valueIn(r, 'ratio-to-rtt')).toBe('baseline-missing');
    expect(r.notes.join()).toContain('above the fastest transaction');
  });

  test('under load: idle before, the load beside, its rate at the receiver', () => {
    const r = reading('2.1.8-under-load');
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'ratio-to-idle')).toBeCloseTo(86.52 / 46.164, 9);
    expect(valueIn(r, 'responsiveness')).toBeCloseTo(60_000 / 86.52, 9);
    expect(valueIn(r, 'load.throughput')).toBe(19e6);
    expect(TransactionsResult.parse(r.result).load?.at).toBe('receiver');
  });

  test('the load is read from its own socket: which congestion control it really had', () => {
    const original = recording('2.1.8-under-load');
    const socket = (peerPort: number, congestionControl: string): SocketSample => ({
      end: 'near',
      elapsedMs: 250,
      localAddress: '192.0.2.1',
      localPort: 40_000,
      peerAddress: '192.0.2.66',
      peerPort,
      state: 'ESTAB',
      congestionControl,
    });
    const output = outputOf(original, { samples: [socket(5607, 'bbr'), socket(5919, 'cubic')] });
    const r = read(specOf(original), output);
    expect(r.notes).toContain("the load's congestion control was cubic");
    const prepared = transactionsByIperf2.prepare(specOf(original));
    expect(output.samples.map((sample) => prepared.isDataSocket(sample, original.phases))).toEqual([false, true]);
    expect(reading('2.1.8-under-load').notes.join()).not.toContain('congestion control');
  });

  test('a load that was not there all the while is no load', () => {
    const original = recording('2.1.8-under-load');
    const short = textOf('2.1.8-under-load', 'load').replaceAll(/0\.0000-[\d.]+ sec/g, '0.0000-3.0000 sec');
    const withoutLoad = { ...original, phases: original.phases.filter(({ name }) => name !== 'load') };
    for (const [altered, words] of [
      [withText(original, 'load', { stdout: short }), 'did not last'],
      [withText(original, 'load', { stdout: '', stderr: 'tcp connect failed: Connection refused' }), 'refused'],
      [withoutLoad, 'did not run'],
    ] as const) {
      const r = read({ ...specOf(original), underLoad: true }, outputOf(altered));
      expect(r.ending).toMatchObject({ reason: 'tool-failed', detail: expect.stringContaining(words) });
      expectSound(r);
    }
  });

  test.each([
    ['2.1.7-shape', 44.2, 47.5, 88, 87.95],
    ['2.1.9-intervals', 44.2, 47.5, 88, 87.95],
    ['2.2.0-reply', 44.2, 47.5, 88, 87.95],
  ])('%s: read by shape', (name, p50, p95, _edge, max) => {
    const r = reading(name);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'transactions-per-second')).toBeCloseTo(200 / 10.0451, 9);
    expect([50, 95, 99].map((p) => valueIn(r, `latency.p${p}`))).toEqual([p50, p95, 47.5]);
    expect(valueIn(r, 'latency.max')).toBe(max);
    expect(r.notes).toEqual(['percentiles are the upper edges of histogram bins of 0.1 ms']);
  });

  test('2.2.1: a percentile above the histogram is unknown, not its last bin', () => {
    const r = reading('2.2.1-shape');
    expect(valueIn(r, 'latency.p95')).toBe(47.5);
    const few = textOf('2.2.1-shape').replace('475:19 ', '475:9 ').replace('obu=0/1', 'obu=0/11');
    const altered = withText(recording('2.2.1-shape'), 'test', { stdout: few });
    expect(valueIn(read(specOf(altered), outputOf(altered)), 'latency.p95')).toBe('tool-cannot-say');
    expect(valueIn(read(specOf(altered), outputOf(altered)), 'latency.max')).toBe(10_400.2);
  });

  test('without a histogram there are no percentiles, but all else', () => {
    const r = reading('2.1.8-no-tcp-stats');
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'latency.p50')).toBe('tool-cannot-say');
    expect(valueIn(r, 'latency.mean')).toBe(44.9);
    expect(r.notes.join()).toContain('no histogram');
  });

  test('a histogram that does not add up is not used', () => {
    const odd = withText(recording('2.1.8-64k'), 'test', {
      stdout: textOf('2.1.8-64k').replace(/cnt\(\d+\)=/, 'cnt(99999)='),
    });
    expect(valueIn(read(specOf(odd), outputOf(odd)), 'latency.p50')).toBe('tool-cannot-say');
  });

  test('of one transaction the zeros are no times', () => {
    const r = reading('2.1.8-one');
    expect(['latency.min', 'latency.mean', 'latency.max'].map((name) => valueIn(r, name))).toEqual([9100, 9100, 9100]);
  });
});

describe('transactions that failed, whatever the exit code', () => {
  test.each([
    ['2.1.8-refused', 'failed', 'connection-refused'],
    ['2.1.8-no-route', 'failed', 'no-route'],
    ['2.1.8-server-killed', 'partial', 'interrupted'],
  ])('%s: %s, %s', (name, outcome, reason) => {
    const r = reading(name);
    expect(recording(name).phases.find((p) => p.name === 'test')?.exitCode).toBe(0);
    expect(r.ending).toMatchObject({ outcome, reason });
    expectSound(r);
  });

  test('a server that was killed near the end is told by the time alone', () => {
    const whole = recording('2.2.0-reply');
    const stdout = whole.phases.find(({ name }) => name === 'test')?.stdout ?? '';
    const lasting = (seconds: string) =>
      read(
        specOf(whole),
        outputOf(withText(whole, 'test', { stdout: stdout.replace(/0\.0000-\d+\.\d+ sec/g, `0.0000-${seconds} sec`) })),
      );
    expect(lasting('9.4000').ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
    expect(lasting('9.9500').ending).toEqual({ outcome: 'completed' });
  });

  test.each([
    ['', 'output-empty'],
    ['Killed', 'output-unreadable'],
    [
      '[  1] 0.0000-10.0 sec  0.00 Byte  0.00 bits/sec    0=0.000/0.000/0.000/0.000 ms    0    1K/0 us    0 rps',
      'connection-timed-out',
    ],
    [
      '[  1] 0.0000-10.0 sec  1 Byte  1 bits/sec    3=-nan/nan/nan/nan ms    0    1K/0 us    0 rps',
      'output-unreadable',
    ],
  ])('output %j: %s', (stdout, reason) => {
    const altered = withText(recording('2.1.8-64k'), 'test', { stdout });
    const r = read(specOf(altered), outputOf(altered));
    expect(r.ending).toMatchObject({ reason });
    expectSound(r);
  });

  test('what the probe saw first stands', () => {
    const ending = { outcome: 'timed-out', reason: 'deadline-exceeded' } as const;
    expect(read(specOf(recording('2.1.8-64k')), outputOf(recording('2.1.8-64k'), { ending })).ending).toEqual(ending);
  });
});

describe('lines', () => {
  test('the sum wins, else the line of the whole test (A42)', () => {
    const line = (id: string, startS: number, endS: number) => ({ id, startS, endS });
    expect(totalOf([line('1', 0, 10), line('1', 0, 5), line('1', 5, 10)])?.endS).toBe(10);
    expect(totalOf([line('1', 0, 10.2), line('SUM', 0, 10), line('2', 0, 10.1)])?.id).toBe('SUM');
    expect(totalOf([line('SUM-8', 0, 10)])?.id).toBe('SUM-8');
    expect(totalOf([line('1', 5, 10)])).toBeUndefined();
  });

  test('what is not understood is said', () => {
    expect(parseIperf2('something else\n').notes).toEqual(['iperf printed: something else']);
    expect(parseIperf2(textOf('2.1.8-under-load', 'load-server')).notes).toEqual([]);
  });
});

describe('whatever is read', () => {
  test.each(names)('%s, mutated', (name) => {
    const original = recording(name);
    const spec = specOf(original);
    fc.assert(
      fc.property(mutated(textOf(name)), (stdout) => {
        expectSound(read(spec, outputOf(withText(original, 'test', { stdout }))));
      }),
      { numRuns: 60 },
    );
  });
});

describe('what is asked', () => {
  const host = (version: string): ProbeHost => ({
    tools: { iperf2: `iperf version ${version} (1 January 2024) pthreads`, ping: 'ping from iputils 20221126' },
    congestionControls: [],
    root: true,
  });
  const raw = { requestBytes: 100, replyBytes: 100, durationS: 10 };
  const phasesOf = (more: object, version = '2.1.8'): readonly Phase[] =>
    transactionsByIperf2.prepare({ ...raw, ...more }).near(host(version), {
      address: '192.0.2.1',
      peerAddress: '192.0.2.2',
      localPort: 40_000,
      peer: { port: 5300, version },
    });
  const argvOf = (more: object, version?: string, name = 'test') =>
    phasesOf(more, version)
      .find((phase) => phase.name === name)
      ?.argv.join(' ') ?? '';

  test('back to back, without intervals, never as columns (A40)', () => {
    expect(argvOf({})).toBe(
      'iperf -c 192.0.2.2 -p 5300 -B 192.0.2.1 -e --bounceback --bounceback-period 0 -l 100 -t 10',
    );
    expect(argvOf({})).not.toMatch(/ -i | -y /);
    expect(argvOf({ replyBytes: 1000 }, '2.2.0')).toContain('--bounceback-request 100 --bounceback-reply 1000');
  });

  test('under load the stream starts first, and ends by itself after the transactions', () => {
    const phases = phasesOf({ underLoad: true });
    expect(phases.map(({ name, beside }) => [name, beside?.leadMs])).toEqual([
      ['baseline', undefined],
      ['idle', undefined],
      ['load', 2000],
      ['test', undefined],
    ]);
    expect(argvOf({ underLoad: true }, '2.1.8', 'load')).toMatch(/ -t 13$/);
    expect(transactionsByIperf2.prepare({ ...raw, underLoad: true }).ceilings).toMatchObject({ maxStreams: 2 });
  });

  test('what is omitted comes first, on a connection of its own, and the server waits for it', () => {
    const names = (more: object) => phasesOf(more).map(({ name }) => name);
    expect(names({ omitS: 3 })).toEqual(['baseline', 'omitted', 'test']);
    expect(names({ omitS: 0 })).toEqual(['baseline', 'test']);
    expect(names({ omitS: 3, underLoad: true })).toEqual(['baseline', 'omitted', 'idle', 'load', 'test']);
    expect(argvOf({ omitS: 3 }, '2.1.8', 'omitted')).toMatch(/ --bounceback --bounceback-period 0 -l 100 -t 3$/);
    expect(argvOf({ omitS: 3 })).toMatch(/ -t 10$/);
    const prepared = transactionsByIperf2.prepare({ ...raw, omitS: 3, underLoad: true });
    expect(prepared.ceilings.maxDurationS).toBe(18);
    expect(prepared.longestDurationMs).toBeGreaterThan(18_000 + 3 * 15_000);
  });

  test('the far side: a server that ends with its clients, and one of its own for the load', () => {
    const farOf = (underLoad: boolean, omitS = 0) => {
      const prepared = transactionsByIperf2.prepare({ ...raw, underLoad, omitS });
      const morePorts = [5301, 5302].slice(0, prepared.morePorts);
      const credentials = { publicKeyPem: '', privateKeyPem: '', user: '', password: '' };
      const input = {
        address: '192.0.2.2',
        port: 5300,
        morePorts,
        peerAddress: '192.0.2.1',
        nearFacts: {},
        credentials,
      };
      const far = prepared.far(host('2.1.8'), input);
      return { argvs: far?.servers.map(({ argv }) => argv.join(' ')), peer: far?.peer };
    };
    expect(farOf(false).argvs).toEqual(['iperf -s -e -p 5300 -B 192.0.2.2 -P 1']);
    expect(farOf(false, 3).argvs).toEqual(['iperf -s -e -p 5300 -B 192.0.2.2 -P 2']);
    expect(farOf(true, 3).argvs?.[0]).toMatch(/ -P 3$/);
    expect(farOf(true).argvs).toEqual([
      'iperf -s -e -p 5300 -B 192.0.2.2 -P 2',
      'iperf -s -e -p 5301 -B 192.0.2.2 -P 1',
    ]);
    const phases = transactionsByIperf2.prepare({ ...raw, underLoad: true }).near(host('2.1.8'), {
      address: '192.0.2.1',
      peerAddress: '192.0.2.2',
      localPort: 40_000,
      peer: farOf(true).peer,
    });
    expect(phases.map(({ name, argv }) => [name, argv[argv.indexOf('-p') + 1]]).slice(1)).toEqual([
      ['idle', '5300'],
      ['load', '5301'],
      ['test', '5300'],
    ]);
  });

  test('IPv6 is said', () => {
    const prepared = transactionsByIperf2.prepare(raw);
    const input = { address: '2001:db8::1', peerAddress: '2001:db8::2', localPort: 1, peer: { port: 5300 } };
    expect(prepared.near(host('2.1.8'), input).at(-1)?.argv).toContain('-V');
  });

  test('what a version cannot do is refused, naming one that can', () => {
    const refusal = (tools: ProbeHost['tools'], more = {}) =>
      transactionsByIperf2.prepare({ ...raw, ...more }).refuses('near', { tools, congestionControls: [] });
    expect(refusal({ iperf3: 'iperf 3.12' })).toMatchObject({
      reason: 'tool-missing',
      detail: expect.stringContaining('package iperf'),
    });
    expect(refusal({ iperf2: 'iperf version 2.0.14a (2 October 2020) pthreads' })).toMatchObject({
      reason: 'tool-too-old',
      detail: expect.stringContaining('2.1.7'),
    });
    expect(refusal(host('2.1.8').tools, { replyBytes: 64 })).toMatchObject({
      reason: 'tool-too-old',
      detail: expect.stringContaining('2.2.0'),
    });
    expect(refusal(host('2.2.0').tools, { replyBytes: 64 })).toBeUndefined();
    expect(refusal({ iperf2: 'iperf 3.12' })).toMatchObject({ reason: 'tool-too-old' });
    expect(() => transactionsByIperf2.prepare({ ...raw, requestBytes: 10 })).toThrow();
  });

  test.each([
    ['iperf version 2.0.14a (2 October 2020) pthreads', '2.0.14', false, false],
    ['iperf version 2.1.7 (5 April 2022) pthreads', '2.1.7', true, false],
    ['iperf version 2.1.8 (12 August 2022) pthreads', '2.1.8', true, false],
    ['iperf version 2.2.1 (6 November 2024) pthreads', '2.2.1', true, true],
    ['iperf version 2.2.n (26 July 2024) pthreads', '2.2', true, true],
    ['iperf 3.12 (cJSON 1.7.15)', undefined, false, false],
  ])('%s', (text, version, bounceback, replySize) => {
    expect(iperf2.parseVersion(text)).toBe(version);
    expect(iperf2Can(text)).toEqual({ version, bounceback, replySize });
  });
});
