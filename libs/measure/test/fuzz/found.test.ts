import { ended } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { outputOf, type Recording, withText } from '../../src/test-support/reading.js';
import { parseHping } from '../../src/tools/hping3/parse.js';
import { reachabilityByHping3 } from '../../src/tools/hping3/reachability.js';
import { parseIperf2 } from '../../src/tools/iperf2/parse.js';
import { throughputByIperf3 } from '../../src/tools/iperf3/index.js';
import { udpLoadByIperf3 } from '../../src/tools/iperf3/udp.js';
import { parseMtr } from '../../src/tools/mtr/parse.js';
import { parseNuttcp } from '../../src/tools/nuttcp/parse.js';
import { parsePchar } from '../../src/tools/pchar/parse.js';
import { parsePing } from '../../src/tools/ping/parse.js';
import { parseSampleArtifact } from '../../src/tools/ss/samples.js';
import { parseTcpdump } from '../../src/tools/tcpdump/index.js';
import { traceByTracepath } from '../../src/tools/tracepath/index.js';
import { recordingsIn } from './recordings.js';
import { throughputSpec, udpSpec } from './specs.js';

function recorded(folder: string, name: string): Recording {
  const recording = recordingsIn(folder).get(name);
  if (!recording) throw new Error(`no ${name}`);
  return recording;
}

/** What the fuzzing found, each as the smallest text that shows it. */
describe('found once', () => {
  test('a hop number that no TTL can be', () => {
    const line = 'hop=18446744073709551615 TTL 0 during transit from ip=192.0.2.2';
    expect(parseHping(line, '').errors).toEqual([]);
    const hub = { count: 300, host: '192.0.2.2', Snt: 1 };
    expect(parseMtr(JSON.stringify({ report: { hubs: [hub] } }))).toMatchObject({ hops: [] });
  });

  test('one hop twice is one hop', () => {
    const hub = { count: 1, host: '192.0.2.2', 'Loss%': 0, Snt: 1, Avg: 5 };
    const mtr = parseMtr(JSON.stringify({ report: { hubs: [hub, { ...hub, Avg: 9 }] } }));
    expect(mtr).toMatchObject({ hops: [{ hop: 1, rttMeanMs: 5 }], notes: [expect.stringContaining('twice')] });
    const link = '    Hop char:          rtt = 1.0 ms, bw = 1000.0 Kbps\n 1: 192.0.2.2 (192.0.2.2)\n';
    expect(parsePchar(link.repeat(2))).toMatchObject({
      links: [{ hop: 1 }],
      notes: [expect.stringContaining('twice')],
    });
  });

  test('times and amounts below zero are none', () => {
    const hub = { count: 1, host: '192.0.2.2', 'Loss%': 0, Snt: 1, Avg: -1 };
    expect(parseMtr(JSON.stringify({ report: { hubs: [hub] } }))).toMatchObject({ hops: [{ rttMeanMs: undefined }] });
    const line = 'megabytes=-1.5 real_seconds=2.00 rate_Mbps=-6.3';
    expect(parseNuttcp(line, '').total).toBeUndefined();
    expect(parseNuttcp(line, '').notes).toEqual([expect.stringContaining(line)]);
  });

  test('a port that is none, and a time that no test has', () => {
    const line = '1.5 IP 192.0.2.1.70000 > 192.0.2.66.5310: Flags [S], seq 1, win 64240, options [mss 1460], length 0';
    expect(parseTcpdump(line)).toMatchObject({ problem: 'output-unreadable' });
    expect(parseSampleArtifact('{"elapsedMs":1e308,"text":""}', 'near').notes).toEqual([
      expect.stringContaining('line 1'),
    ]);
  });

  test('a whole output of a program that failed is no success', () => {
    const recording = recorded('tracepath/fixtures', '20221126-four-hops.json');
    const altered = withText(recording, 'tracepath', { exitCode: 1 });
    const reading = traceByTracepath.prepare({ method: 'udp' }).read(outputOf(altered));
    expect(reading.ending).toMatchObject({ outcome: 'partial', reason: 'interrupted' });
  });

  test('more answers than SYNs are no shares, however it ended', () => {
    const recording = recorded('hping3/fixtures', 'closed.json');
    const stderr = recording.phases[0]?.stderr.replace(/^\d+ packets/m, '1 packets') ?? '';
    const output = outputOf(withText(recording, 'syn', { stderr }), { ending: ended('interrupted') });
    const { metrics } = reachabilityByHping3.prepare({ port: 81 }).read(output);
    expect(metrics.filter(({ value }) => value !== null)).toEqual([]);
  });

  test("a receiver's counter beyond 2^53 is said, whichever end printed it", () => {
    const recording = recorded('iperf3/udp-fixtures', '3.9-both-ends.json');
    const stdout = recording.phases.find(({ name }) => name === 'server')?.stdout ?? '';
    const altered = withText(recording, 'server', {
      stdout: stdout.replace(/(?<before>"sum":\s*\{[^}]*?"bytes":\s*)\d+/, '$<before>1e308'),
    });
    const reading = udpLoadByIperf3.prepare(udpSpec(recording)).read(outputOf(altered));
    expect(reading.ending).toMatchObject({ outcome: 'failed', reason: 'counter-overflow' });
  });

  test('nor is one of late datagrams, though its unit is a count', () => {
    const recording = recorded('iperf3/udp-fixtures', '3.9-both-ends.json');
    const stdout = recording.phases.find(({ name }) => name === 'server')?.stdout ?? '';
    for (const [word, reason] of [
      ['1e308', 'counter-overflow'],
      ['0.5', undefined],
    ] as const) {
      const altered = withText(recording, 'server', {
        stdout: stdout.replace(/(?<before>"out_of_order":\s*)\d+/g, `$<before>${word}`),
      });
      const { ending, metrics } = udpLoadByIperf3.prepare(udpSpec(recording)).read(outputOf(altered));
      expect('reason' in ending ? ending.reason : undefined).toBe(reason);
      expect(metrics.find(({ name }) => name === 'reordered')?.value).toBeNull();
    }
  });

  test('nor are parts of a retransmitted segment one', () => {
    const recording = recorded('iperf3/fixtures', '3.12-forward.json');
    const stdout = recording.phases.find(({ name }) => name === 'test')?.stdout ?? '';
    const altered = withText(recording, 'test', { stdout: stdout.replace(/("retransmits":\s*)\d+/g, '$10.25') });
    const { metrics } = throughputByIperf3.prepare(throughputSpec(recording)).read(outputOf(altered));
    expect(metrics.find(({ name }) => name === 'retransmits')?.value).toBeNull();
  });

  test('an error that has no end is cut', () => {
    const line = `From 192.0.2.2 icmp_seq=1 ${'x'.repeat(5_000)}`;
    expect(parsePing(line).errors).toEqual([{ index: 0, from: '192.0.2.2', text: 'x'.repeat(120) }]);
  });

  test('a latency below zero is none, and the line says nothing then', () => {
    const line =
      '[  1] 0.0000-5.0000 sec  22.4 KBytes  36.7 Kbits/sec    112=44.600/-0.5/47.9/0.5 ms    0   14K/44000 us    22 rps';
    expect(parseIperf2(line).bounceback).toEqual([]);
    expect(parseIperf2(line).notes).toEqual([expect.stringContaining('no numbers')]);
    expect(parseIperf2(line.replace('-0.5', '44.1')).bounceback).toHaveLength(1);
  });
});
