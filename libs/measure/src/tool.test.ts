import { describe, expect, test } from 'vitest';
import {
  abilities,
  abilityOf,
  measurementCatalogue,
  measurements,
  metricCatalogue,
  metricFact,
  toolCatalogue,
  tools,
} from './index.js';
import { atLeast } from './tool.js';

test('versions are compared number by number, and an unknown one is the oldest', () => {
  expect(atLeast('3.9', '3.10')).toBe(false);
  expect(atLeast('3.10.1', '3.10')).toBe(true);
  expect(atLeast('3.17.1', '3.17')).toBe(true);
  expect(atLeast('20190709', '20210722')).toBe(false);
  expect(atLeast(undefined, '0')).toBe(false);
});

test.each([
  ['iperf3', 'iperf 3.12 (cJSON 1.7.15)\nLinux vm 6.18.44 x86_64', '3.12'],
  ['iperf3', 'iperf 3.17.1 (cJSON 1.7.15)', '3.17.1'],
  ['iperf3', 'iperf version 2.1.8 (12 August 2022) pthreads', undefined],
  ['ping', 'ping from iputils 20221126\nlibcap: yes, IDN: yes', '20221126'],
  ['ping', 'ping utility, iputils-s20190709', '20190709'],
  ['ping', "ping: invalid option -- 'V'\nBusyBox v1.36.1 (2024-01-01 00:00:00 UTC) multi-call binary.", '1.36.1'],
  ['ping', 'ping (GNU inetutils) 2.4', undefined],
  ['ss', 'ss utility, iproute2-6.1.0, libbpf 1.1.2', '6.1.0'],
  ['ss', 'ss utility, iproute2-ss190107', '190107'],
  ['hping3', 'hping3 version 3.0.0-alpha-2 ($Id: release.h,v 1.4 2004/04/09 23:38:56 antirez Exp $)', '3.0.0-alpha-2'],
  ['mtr', 'mtr 0.95', '0.95'],
  ['tracepath', 'tracepath from iputils 20221126', '20221126'],
  ['pchar', 'pchar 1.5', '1.5'],
])('the version of %s is found in %j', (name, text, version) => {
  expect(tools.find((tool) => tool.name === name)?.parseVersion(text)).toBe(version);
});

/** The least that a spec of each measurement must say. */
const LEAST: Readonly<Record<string, object>> = {
  throughput: { direction: 'forward', durationS: 1 },
  rtt: { count: 1, intervalS: 1 },
  'udp-load': { direction: 'forward', durationS: 1, rateBps: 1e6, payloadBytes: 1000 },
  'path-mtu': { sizesBytes: [1500] },
  reachability: { port: 443 },
};
const METHOD: Readonly<Record<string, string>> = { tracepath: 'udp', hping3: 'tcp-syn' };

describe('a host without the program', () => {
  test.each(
    abilities
      .filter(({ measures }) => measures === 'trace' || measures === 'hops' || measures in LEAST)
      .map((a) => [a.measures, a.tool] as const),
  )('is refused %s by %s, with the package to install', (measures, name) => {
    const method = measures === 'trace' ? { method: METHOD[name] ?? 'icmp' } : {};
    const prepared = abilityOf(measures, name)?.prepare({ ...LEAST[measures], ...method });
    const refusal = prepared?.refuses('near', { tools: {}, congestionControls: ['cubic'], root: true });
    expect(refusal).toMatchObject({ outcome: 'refused', reason: 'tool-missing' });
    const tool = tools.find((one) => one.name === name);
    expect(refusal && 'detail' in refusal && refusal.detail).toContain(`install the package ${tool?.package}`);
  });
});

describe('the lists', () => {
  test('every ability measures something that is listed, by a tool that is listed', () => {
    for (const ability of abilities) {
      expect(measurements.map(({ kind }) => kind)).toContain(ability.measures);
      expect(tools.map(({ name }) => name)).toContain(ability.tool);
      expect(abilityOf(ability.measures, ability.tool)).toBe(ability);
    }
    expect(abilityOf('throughput', 'ping')).toBeUndefined();
  });

  test('a spec that does not fit is refused before anything is built from it', () => {
    for (const ability of abilities) expect(() => ability.prepare({ target: '192.0.2.1' })).toThrow();
    expect(() =>
      abilityOf('throughput', 'iperf3')?.prepare({ direction: 'forward', durationS: 1, extra: 1 }),
    ).toThrow();
  });

  test('what measures and what is shared', () => {
    expect(abilityOf('throughput', 'iperf3')).toMatchObject({
      sharing: 'exclusive',
      standingGrant: false,
      hasServer: true,
    });
    expect(abilityOf('rtt', 'ping')).toMatchObject({ sharing: 'shared', standingGrant: true, hasServer: false });
  });

  test('the far probe consents to what the spec asks for', () => {
    const prepared = abilityOf('throughput', 'iperf3')?.prepare({
      direction: 'forward',
      durationS: 10,
      omitS: 2,
      rateBps: 5e6,
    });
    expect(prepared?.ceilings).toEqual({ maxRateBps: 5e6, maxStreams: 1, maxDurationS: 12 });
    expect(prepared?.longestDurationMs).toBeGreaterThan(12_000);
  });

  test('a UDP load is held to its rate, all streams together', () => {
    const prepared = abilityOf('udp-load', 'iperf3')?.prepare({ ...LEAST['udp-load'], rateBps: 1e6, streams: 3 });
    expect(prepared?.ceilings).toEqual({ maxRateBps: 1e6, maxStreams: 3, maxDurationS: 1 });
    const host = { tools: { iperf3: 'iperf 3.12' }, congestionControls: [] };
    const input = {
      address: '192.0.2.1',
      peerAddress: '192.0.2.2',
      localPort: 5000,
      peer: { port: 5001, version: '3.12' },
    };
    const [phase] = prepared?.near(host, input) ?? [];
    const rateBps = Number(phase?.argv[phase.argv.indexOf('-b') + 1]);
    expect(rateBps * 3).toBeLessThanOrEqual(1e6);
    expect(rateBps * 3).toBeGreaterThan(0.99e6);
  });
});

describe('the catalogue', () => {
  test('has the metrics of the product, with their units', () => {
    const units = Object.fromEntries(metricCatalogue().map(({ name, unit }) => [name, unit]));
    expect(units).toMatchObject({
      throughput: 'bit/s',
      retransmits: 'segments',
      'rtt.min': 'ms',
      'rtt.mean': 'ms',
      'rtt.p50': 'ms',
      'rtt.p95': 'ms',
      'rtt.max': 'ms',
      'cwnd.max': 'B',
      'window.max': 'B',
      'limited.receive-window': 'ratio',
      'limited.send-buffer': 'ratio',
      'cpu.sender': 'ratio',
      'cpu.receiver': 'ratio',
      efficiency: 'ratio',
      'buffer-delay': 'ratio',
      'transfer-time-ratio': 'ratio',
      loss: 'ratio',
      jitter: 'ms',
    });
    for (const fact of metricCatalogue()) expect(fact.description.length).toBeGreaterThan(20);
  });

  test('a name has one unit and one direction of good, wherever it is measured', () => {
    const seen = new Map<string, string>();
    for (const { name, unit, better } of measurements.flatMap(({ metrics }) => metrics)) {
      expect(seen.get(name) ?? `${unit} ${better}`).toBe(`${unit} ${better}`);
      seen.set(name, `${unit} ${better}`);
    }
  });

  test('has JSON Schemas that name every field', () => {
    const [throughput, rtt] = measurementCatalogue();
    expect(throughput?.spec).toMatchObject({
      type: 'object',
      additionalProperties: false,
      required: ['direction', 'durationS'],
    });
    expect(rtt?.spec).toMatchObject({ properties: { count: { type: 'integer' } } });
    expect(toolCatalogue()).toContainEqual(
      expect.objectContaining({ tool: 'iperf3', measures: ['throughput', 'udp-load'] }),
    );
  });
});

test('a metric that measurements take differently says how each does', () => {
  const text = metricFact('rtt.min')?.description ?? '';
  expect(text).toContain("In throughput: Smallest smoothed round-trip time of the sender's socket");
  expect(text).toContain('In rtt: Smallest round-trip time of the replies');
  expect(metricFact('rtt.p50')?.description).toMatch(/^Median/);
});
