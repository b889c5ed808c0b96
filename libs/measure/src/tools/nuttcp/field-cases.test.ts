import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ThroughputSpec } from '../../measurements/throughput/index.js';
import { outputOf, type Recording, valueIn, withText } from '../../test-support/reading.js';
import { nuttcp } from './index.js';
import { parseNuttcp } from './parse.js';
import { read } from './read.js';

/* Field cases of docs/field-cases.md that concern nuttcp. Forms: nuttcp-7.1.6.c, 7.3.3, 8.1.4 and 8.2.2, P_*_FMT_BRIEF and P_*_FMT_INTERVAL. */
const recording: Recording = JSON.parse(
  readFileSync(new URL('./fixtures/6.1.2-forward.json', import.meta.url), 'utf8'),
);
const durationS = Number(
  /-T (\d+)/.exec(recording.phases.find(({ name }) => name === 'test')?.argv.join(' ') ?? '')?.[1],
);
const spec = ThroughputSpec.parse({ direction: 'forward', durationS });
const reading = (stdout: string, stderr = '', exitCode = 0) =>
  read(spec, outputOf(withText(recording, 'test', { stdout, stderr, exitCode })));

const PERF = `megabytes=59.6046 real_seconds=${durationS}.00 rate_Mbps=50.0000`;
const CPU = 'tx_cpu=2 rx_cpu=7';

describe('A45: keys, never places', () => {
  test.each([
    ['6.1.2', `${PERF} ${CPU} retrans=0 rtt_ms=44.98`],
    ['7.1.6 and 7.3.3', `${PERF} ${CPU} host-retrans=9 rtt_ms=44.98`],
    ['8.1.4 and 8.2.2', `${PERF} ${CPU} retrans=0 cwnd=317 rtt_ms=44.98`],
    ['8.2.2, several streams', `${PERF} ${CPU} retrans_by_stream=0 retrans=0 cwnd_by_stream=317 cwnd=317 rtt_ms=44.98`],
  ])('nuttcp %s', (_version, total) => {
    const interval = 'megabytes=5.9605 real_sec=1.00 rate_Mbps=50.0000 retrans=0 cwnd=300';
    const r = reading(`${interval}\n${total}\n`);
    expect(r.ending).toEqual({ outcome: 'completed' });
    expect(valueIn(r, 'throughput')).toBe(50e6);
    expect([valueIn(r, 'cpu.sender'), valueIn(r, 'cpu.receiver')]).toEqual([0.02, 0.07]);
  });

  test('in any order, with any keys between them', () => {
    const pairs = [
      ...PERF.split(' '),
      ...CPU.split(' '),
      'rtt_ms=44.98',
      'drop=88',
      'pkt=5',
      'data_loss=0.1',
      'newkey=1',
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(pairs, { minLength: pairs.length }), (order) => {
        expect(parseNuttcp(order.join(' '), '').total).toMatchObject({ rateBps: 50e6, durationS, cpuReceiver: 0.07 });
      }),
      { numRuns: 30 },
    );
  });
});

describe('A47: without its server it measures nothing', () => {
  // nuttcp-8.2.2.c: each line of it begins with the program and its version.
  const INFO = [
    'attempting to switch to deprecated classic mode',
    'will use less reliable transmitter side statistics',
  ];
  test.each(['6.1.2', '7.3.3', '8.2.2'])('nuttcp %s, whichever of its lines came, on either stream', (version) => {
    for (const info of INFO) {
      const line = `nuttcp-t: v${version}: Info: ${info}\n`;
      for (const r of [reading(`${PERF} ${CPU}\n`, line), reading(`${line}${PERF} ${CPU}\n`)]) {
        expect(r.ending.outcome).toBe('failed');
        expect(valueIn(r, 'throughput')).toBe('attempt-failed');
      }
    }
  });
});

test('its versions tell themselves', () => {
  expect(['nuttcp-6.1.2', 'nuttcp-7.3.3', 'nuttcp-8.1.4', 'nuttcp-8.2.2-beta1'].map(nuttcp.parseVersion)).toEqual([
    '6.1.2',
    '7.3.3',
    '8.1.4',
    '8.2.2',
  ]);
});

test('C23, C25: refused, dropped and out of ports are three causes', () => {
  const reasonOf = (words: string) => reading('', `nuttcp-t: v6.1.2: Error: connect: ${words}\nerrno=1\n`, 1).ending;
  expect(reasonOf('Connection refused')).toMatchObject({ reason: 'connection-refused' });
  expect(reasonOf('Connection timed out')).toMatchObject({ reason: 'connection-timed-out' });
  expect(reasonOf('Cannot assign requested address')).toMatchObject({ reason: 'local-address-unavailable' });
});
