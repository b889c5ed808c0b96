import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ProbeHost } from '../../ability.js';
import { TransactionsSpec } from '../../measurements/transactions/index.js';
import { outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { classify, complaintOf } from './ending.js';
import { iperf2, transactionsByIperf2 } from './index.js';
import { parseIperf2, totalOf } from './parse.js';
import { read } from './read.js';

/* Field cases of docs/field-cases.md that concern iperf 2. */
const folder = new URL('./fixtures/', import.meta.url);
const recording = (name: string): Recording => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const spec = TransactionsSpec.parse({ requestBytes: 100, replyBytes: 100, durationS: 10 });

describe('A39: the line of transactions is read by its shape', () => {
  // src/Locale.c, report_client_bb_bw_format and ..._final_format at the commits named, with and without TCP statistics.
  test.each([
    ['2.1.7, 52f25f57', '200(19)=44.900/44.070/87.950/3.100 ms    1   14K/44210 us', 1],
    ['2.1.7 without TCP statistics', '200(19)=44.900/44.070/87.950/3.100 ms', undefined],
    ['2.1.8, 24ae8bf6', '200=44.900/44.070/87.950/3.100 ms    1   14K/44210 us    19 rps', 1],
    ['2.1.9, e3400e4d', '200=44.900/44.070/87.950/3.100 ms    0   14K/44210 us    19.9 rps', 0],
    ['2.1.9 without TCP statistics', '200=44.900/44.070/87.950/3.100 ms    19 rps', undefined],
    [
      '2.2.0 with bytes in flight, 359987b5',
      '200=44.900/44.070/87.950/3.100 ms    1  14K/(10)/44210(150) us    19 rps',
      1,
    ],
    ['2.2.0, 359987b5', '200=44.900/44.070/87.950/3.100 ms    1   14K(10)/44210(150) us    19 rps', 1],
    ['2.2.0, final', '200=44.900/44.070/87.950/3.100 ms    1   -(-)/-(-)            19 rps', 1],
    [
      '2.2.1, 1c573d9a',
      '200=44.900/44.070/87.950/3.100 ms    1   14K(10)/44210(150) us  Tx=20000 Byte Rx=20000 Byte  RPS=19',
      1,
    ],
    ['2.2.1, final', '200=44.900/44.070/87.950/3.100 ms    1   -(-)/-(-)  Tx=20000 Byte Rx=20000 Byte  RPS=19', 1],
  ])('%s', (_version, columns, retransmits) => {
    const line = `[  1] 0.0000-10.0451 sec  39.1 KBytes  31.9 Kbits/sec    ${columns}\n`;
    const { bounceback, notes } = parseIperf2(line);
    expect(notes).toEqual([]);
    expect(bounceback).toHaveLength(1);
    expect(bounceback[0]).toMatchObject({
      retransmits,
      series: { count: 200, meanMs: 44.9, minMs: 44.07, maxMs: 87.95, stdevMs: 3.1 },
    });
    const test = { ...recording('2.1.8-64k').phases[0], name: 'test', stdout: line };
    const one = { source: '', phases: [{ ...recording('2.1.8-64k').phases[0]!, ...test }] };
    // The rate is count by time, whatever the line says of a rate.
    expect(valueIn(read(spec, outputOf(one)), 'transactions-per-second')).toBeCloseTo(200 / 10.0451, 9);
  });

  test('of fewer than two transactions its zeros are no times', () => {
    for (const columns of [
      '1(0)=9.1/0.000/0.000/0.000 ms',
      '1=9.1/0.000/0.000/0.000 ms    0   14K/9000 us    0.1 rps',
    ]) {
      const [line] = parseIperf2(`[  1] 0.0000-10.0451 sec  100 Byte  80 bits/sec    ${columns}`).bounceback;
      expect(line?.series).toMatchObject({ count: 1, minMs: 9.1, maxMs: 9.1 });
      expect(line?.series.stdevMs).toBeUndefined();
    }
  });
});

describe('A40, A44: what is asked is the same in every version', () => {
  const host = (version: string): ProbeHost => ({
    tools: { iperf: `iperf version ${version} (1 January 2024) pthreads` },
    congestionControls: [],
  });
  const credentials = { publicKeyPem: '', privateKeyPem: '', user: '', password: '' };
  test.each(['2.1.7', '2.1.8', '2.1.9', '2.2.0', '2.2.1'])('iperf %s', (version) => {
    for (const underLoad of [false, true]) {
      const prepared = transactionsByIperf2.prepare({ ...spec, underLoad });
      const input = { address: '192.0.2.1', peerAddress: '192.0.2.2', localPort: 1, peer: { port: 5300 } };
      const far = {
        address: '192.0.2.2',
        port: 5300,
        peerAddress: '192.0.2.1',
        nearFacts: {},
        credentials,
        morePorts: [5301],
      };
      const phases = [...prepared.near(host(version), input), ...(prepared.far(host(version), far)?.servers ?? [])];
      for (const argv of phases.flatMap((phase) => (phase?.tool === 'iperf2' ? [phase.argv] : []))) {
        // A40: -y C has other columns in every version. A44: --enhancedreports became --enhanced; -e is both.
        expect(argv.some((word) => /^(-y|--reportstyle|--enhanced)/.test(word))).toBe(false);
        expect(argv).toContain('-e');
        expect(argv).toContain('-B');
      }
    }
  });

  test('A44: the version is found in whichever stream has it, and a complaint too', () => {
    const help = 'Usage: iperf [-s|-c host] [options]\n';
    expect(iperf2.parseVersion(`\niperf version 2.0.14a (2 October 2020) pthreads\n`)).toBe('2.0.14');
    expect(iperf2.parseVersion(`${help}\niperf version 2.2.1 (6 November 2024) pthreads`)).toBe('2.2.1');
    const words = 'tcp connect failed: Connection refused';
    for (const [stdout, stderr] of [
      [words, ''],
      ['', words],
    ] as const)
      expect(classify(complaintOf({ stdout, stderr }) ?? '')).toMatchObject({ reason: 'connection-refused' });
  });
});

describe('A42: the total, once', () => {
  const line = (id: string, range: string, count: number) =>
    `[${id}] ${range} sec  39.1 KBytes  31.9 Kbits/sec    ${count}=44.900/44.070/87.950/3.100 ms    1   14K/44210 us    19 rps`;

  test.each([
    ['one stream has no sum', [line('  1', '0.0000-10.0451', 200)], 200],
    [
      'intervals of the whole test are the total',
      [line('  1', '0.0000-10.0000', 199), line('  1', '0.0000-10.0451', 200)],
      200,
    ],
    [
      'a sum of two streams',
      [line('  1', '0.0000-10.0', 100), line('  2', '0.0000-10.0', 101), line('SUM', '0.0000-10.0', 201)],
      201,
    ],
    ['a sum that says of how many', [line('  1', '0.0000-10.0', 100), line('SUM-8', '0.0000-10.0', 800)], 800],
    [
      'the last of several intervals',
      [line('  1', '0.0000-5.0', 90), line('  1', '5.0-10.0', 110), line('  1', '0.0000-10.0', 200)],
      200,
    ],
  ])('%s', (_what, lines, count) => {
    expect(totalOf(parseIperf2(lines.join('\n')).bounceback)?.series.count).toBe(count);
  });

  test('complaints about the MSS below a result cost nothing', () => {
    const original = recording('2.1.8-64k');
    const { stdout = '' } = original.phases.find(({ name }) => name === 'test') ?? {};
    const tail = '[  1] MSS and MTU size unknown (TCP_MAXSEG not supported)\n';
    const altered = withText(original, 'test', {
      stdout: stdout + tail,
      stderr: 'getsockopt TCP_MAXSEG failed: Bad file descriptor\n',
    });
    const whole = read({ ...spec, requestBytes: 65_536, replyBytes: 65_536, durationS: 5 }, outputOf(altered));
    expect(whole.ending).toEqual({ outcome: 'completed' });
  });
});

test('C23: no free port is no fault of the path', () => {
  expect(classify('tcp connect failed: Cannot assign requested address')).toMatchObject({
    outcome: 'failed',
    reason: 'local-address-unavailable',
  });
  expect(names.length).toBeGreaterThan(8);
});
