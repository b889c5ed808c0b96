import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ssArgv } from './argv.js';
import { parseSs } from './parse.js';
import { parseSampleArtifact } from './samples.js';

const recorded = (name: string): string => readFileSync(new URL(`./fixtures/${name}.txt`, import.meta.url), 'utf8');
const sender = recorded('6.1.0-sender');
const old = recorded('4.20.0-shape');
const future = recorded('7.1.0-shape');

test('asks the kernel for a run of ports', () => {
  expect(ssArgv({ localPort: 5400, lastLocalPort: 5403, peerAddress: '192.0.2.1' }).at(-1)).toBe(
    '( sport >= :5400 and sport <= :5403 and dst = 192.0.2.1 )',
  );
});

describe('a socket', () => {
  test('of the sender, whole', () => {
    const { samples, notes } = parseSs(sender, 'near', 250);
    expect(notes).toEqual([]);
    expect(samples).toEqual([
      {
        end: 'near',
        elapsedMs: 250,
        state: 'ESTAB',
        localAddress: '127.0.0.1',
        localPort: 47771,
        peerAddress: '127.0.0.1',
        peerPort: 5998,
        congestionControl: 'cubic',
        sndWscale: 10,
        rcvWscale: 10,
        rttMs: 0.034,
        rttVarMs: 0.018,
        minRttMs: 0.001,
        mssBytes: 65483,
        pmtuBytes: 65535,
        cwndSegments: 62,
        ssthreshSegments: 25,
        unackedSegments: 46,
        notSentBytes: 2226,
        bytesSent: 7066089331,
        bytesAcked: 7063142385,
        bytesRetransmitted: 0,
        segmentsRetransmitted: 0,
        segmentsLost: 0,
        segmentsSacked: 0,
        dsackDuplicates: 0,
        reorderingSeen: 1,
        sndWndBytes: 18668544,
        rcvSsthreshBytes: 65495,
        rcvSpaceBytes: 65495,
        busyMs: 1008,
        rwndLimitedMs: 4,
        sndbufLimitedMs: 0,
        pacingBps: 1121596592800,
        deliveryBps: 112256571424,
        sendBps: 955281411765,
        appLimited: true,
        rcvBufBytes: 131072,
        sndBufBytes: 4194304,
      },
    ]);
  });

  test('of iproute2 4.20: units, groups, IPv6, and counters that it does not have stay unknown (A59, A61)', () => {
    const [s] = parseSs(old, 'far', 0).samples;
    expect(s).toMatchObject({
      localAddress: '2001:db8::1',
      localPort: 47001,
      peerPort: 5301,
      congestionControl: 'bbr',
    });
    expect(s).toMatchObject({
      sendBps: 96.7e6,
      pacingBps: 116.6e6,
      bbrBwBps: 94.2e6,
      bbrMinRttMs: 18.1,
      segmentsRetransmitted: 42,
    });
    for (const key of ['sndWndBytes', 'busyMs', 'rwndLimitedMs', 'bytesSent', 'bytesRetransmitted', 'appLimited'])
      expect(s).not.toHaveProperty(key);
  });

  test('of a later version: unknown words are kept, and what cannot be read is not made zero', () => {
    const [s] = parseSs(future, 'near', 0).samples;
    expect(s).toMatchObject({
      localAddress: '10.0.0.1',
      congestionControl: 'dctcp-like',
      rwndLimitedMs: 8200,
      busyMs: 10000,
      rcvWndBytes: 65536,
    });
    expect(s?.other).toEqual({ newflag: '', newkey: '7' });
    expect(s).not.toHaveProperty('segmentsRetransmitted');
    expect(s).not.toHaveProperty('sndWscale');
  });

  test('that was never busy was so for 0 ms, where the kernel is new enough to count it', () => {
    const [s] = parseSs('ESTAB 0 0 10.0.0.1:1 10.0.0.2:2\n\t cubic cwnd:10 bytes_sent:37\n', 'near', 0).samples;
    expect(s).toMatchObject({ busyMs: 0, rwndLimitedMs: 0, sndbufLimitedMs: 0 });
  });

  test('in one line (-O), a pacing rate without a limit, and a counter beyond 2^53', () => {
    const text =
      'ESTAB 0 0 10.0.0.1:1 10.0.0.2:2 cubic rto:204 cwnd:10 bytes_sent:9007199254740993 pacing_rate 147573952589676412928bps\n';
    const [s] = parseSs(text, 'near', 0).samples;
    expect(s).toMatchObject({ cwndSegments: 10, congestionControl: 'cubic' });
    expect(s).not.toHaveProperty('pacingBps');
    expect(s).not.toHaveProperty('bytesSent');
  });

  test('lines that are none are said', () => {
    const { samples, notes } = parseSs(`\tlost line\nCannot open netlink socket\n${sender}`, 'near', 0);
    expect(samples).toHaveLength(1);
    expect(notes).toEqual([expect.stringContaining('lost line'), expect.stringContaining('Cannot open')]);
  });

  test('never throws and never gives a number that is none', () => {
    const anyText = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc
        .tuple(fc.constantFrom(sender, old, future), fc.nat(), fc.nat(30), fc.string({ maxLength: 3 }))
        .map(([text, at, length, s]) => {
          const place = at % text.length;
          return text.slice(0, place) + s + text.slice(place + length);
        }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        for (const s of parseSs(text, 'near', 0).samples)
          for (const value of Object.values(s)) if (typeof value === 'number') expect(value).toBeLessThan(2 ** 53);
      }),
      { numRuns: 500 },
    );
  });
});

test('the filter is one expression, and addresses of IPv6 are in brackets', () => {
  expect(ssArgv({ localPort: 47001, peerAddress: '192.0.2.2' })).toEqual([
    'ss',
    '-tinmH',
    '( sport = :47001 and dst = 192.0.2.2 )',
  ]);
  expect(ssArgv({ peerPort: 5301, peerAddress: '2001:db8::2' }).at(-1)).toBe(
    '( dport = :5301 and dst = [2001:db8::2] )',
  );
  expect(ssArgv({})).toEqual(['ss', '-tinmH']);
});

test('a stored artifact: a line a reading; one that was cut is said and left out', () => {
  const line = (elapsedMs: number) => JSON.stringify({ elapsedMs, text: sender });
  const { samples, notes } = parseSampleArtifact(`${line(0)}\n\n${line(250)}\n${line(500).slice(0, 90)}`, 'near');
  expect(samples.map(({ elapsedMs }) => elapsedMs)).toEqual([0, 250]);
  expect(notes).toEqual(['samples: line 4 could not be read']);
});
