import { abilityOf, metricFact } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import { criterionSchema, kindCatalogue, kindOf, kinds, Test } from '../index.js';

const path: Path = {
  name: 'a-b',
  source: { probe: 'a', endpoint: 'x' },
  destination: { probe: 'b', endpoint: 'x' },
  rateLayer: 'ip',
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const attemptsOf = (raw: object, over: Partial<Path> = {}) => {
  const test = Test.parse(raw);
  return kindOf(test.kind)?.attempts(test, { ...path, ...over }) ?? [];
};
const messages = (raw: unknown): string => JSON.stringify(Test.safeParse(raw).error?.issues ?? []);

describe('a test', () => {
  test('has the defaults of the product', () => {
    expect(Test.parse({ kind: 'single-stream' })).toEqual({
      kind: 'single-stream',
      direction: 'forward',
      durationS: 10,
      omitS: 0,
      repeats: 1,
      onFailure: 'continue',
      tool: 'iperf3',
      capture: false,
    });
    expect(Test.parse({ kind: 'rtt' })).toMatchObject({
      intervalS: 0.2,
      repeats: 1,
      method: 'icmp',
      onFailure: 'continue',
    });
  });

  test.each([
    [{ kind: 'juggling' }, 'single-stream, rtt, '],
    [{ kind: 'single-stream', extra: 1 }, 'extra'],
    [{ kind: 'single-stream', tool: 'netperf' }, 'iperf3'],
    [{ kind: 'bounceback', requestBytes: 10 }, 'requestBytes'],
    [{ kind: 'single-stream', direction: 'sideways' }, 'direction'],
    [{ kind: 'single-stream', congestionControl: '-x' }, 'congestion control'],
    [{ kind: 'single-stream', congestionControl: 'cubic bbr' }, 'congestion control'],
    [{ kind: 'single-stream', durationS: 0 }, 'durationS'],
    [{ kind: 'single-stream', durationS: 1.5 }, 'durationS'],
    [{ kind: 'single-stream', durationS: 3601 }, 'durationS'],
    [{ kind: 'single-stream', durationS: '10' }, 'durationS'],
    [{ kind: 'single-stream', repeats: 101 }, 'repeats'],
    [{ kind: 'single-stream', dscp: 64 }, 'dscp'],
    [{ kind: 'single-stream', name: '-rf' }, 'name'],
    [{ kind: 'rtt', method: 'tcp-ack' }, 'tcp-syn'],
    [{ kind: 'rtt', port: 80 }, 'only tcp-syn has a port'],
    [{ kind: 'rtt', direction: 'reverse' }, 'a round trip already has both directions'],
    [{ kind: 'rtt', intervalS: 0 }, 'intervalS'],
    [{ kind: 'rtt', intervalS: 0.002, durationS: 3600 }, 'more than 100000 requests'],
    [{ kind: 'rtt', count: 3, durationS: 2 }, 'give count or durationS, not both'],
    [{ kind: 'rtt', count: 61, intervalS: 60 }, 'more than 3600 s'],
    [{ kind: 'rtt', count: 100_000 }, 'more than 3600 s'],
    [{}, 'kind'],
    ['rtt', 'expected object'],
  ])('%j is refused, and why', (raw, words) => {
    expect(messages(raw)).toContain(words);
  });
});

/** What a test must say besides its kind. */
const musts: Readonly<Record<string, object>> = {
  'window-sweep': { windowsBytes: [65_536] },
  'congestion-control-matrix': { algorithms: ['cubic', 'bbr'], streams: 2 },
  reachability: { port: 443 },
  'udp-step-up': { maxRateBps: 1e6 },
};

describe('attempts', () => {
  test('repeats and directions are interleaved, and only both directions are labelled', () => {
    const both = attemptsOf({ kind: 'single-stream', direction: 'both', repeats: 2 });
    expect(both.map(({ repeat, cell }) => [repeat, cell.direction])).toEqual([
      [1, 'forward'],
      [1, 'reverse'],
      [2, 'forward'],
      [2, 'reverse'],
    ]);
    expect(attemptsOf({ kind: 'single-stream', direction: 'reverse' })).toMatchObject([
      { repeat: 1, cell: {}, spec: { direction: 'reverse' } },
    ]);
  });

  test('the spec carries the parameters, and what the path promises', () => {
    const raw = {
      kind: 'single-stream',
      durationS: 20,
      omitS: 3,
      congestionControl: 'cubic',
      windowBytes: 65536,
      mssBytes: 1400,
      dscp: 8,
      rateBps: 1e6,
    };
    const [attempt] = attemptsOf(raw, { committedRateBps: 100e6, rateLayer: 'ethernet', mtu: 9000 });
    const { kind: _kind, ...parameters } = raw;
    expect(attempt?.spec).toEqual({
      ...parameters,
      direction: 'forward',
      streams: 1,
      committed: { rateBps: 100e6, layer: 'ethernet', mtuBytes: 9000 },
    });
    expect(attemptsOf(raw)[0]?.spec).not.toHaveProperty('committed');
  });

  test.each([
    [{}, 20, 0],
    [{ count: 5 }, 5, 0],
    [{ durationS: 2 }, 10, 0],
    [{ durationS: 2, intervalS: 0.5 }, 4, 0],
    [{ count: 60, intervalS: 60 }, 60, 0],
    [{ count: 5, omitS: 1 }, 5, 5],
  ])('rtt of %j counts %d requests after %d', (raw, count, omitCount) => {
    expect(attemptsOf({ kind: 'rtt', ...raw })[0]?.spec).toMatchObject({ count, omitCount, payloadBytes: 56 });
  });

  test('rtt by SYNs is measured by hping3, at the port that the test names', () => {
    const how = ({ tool, spec }: { tool: string; spec: unknown }) => [tool, Object(spec).method, Object(spec).port];
    const [echoes] = attemptsOf({ kind: 'rtt' });
    const [syns] = attemptsOf({ kind: 'rtt', method: 'tcp-syn', port: 22, count: 3 });
    expect(echoes && how(echoes)).toEqual(['ping', 'icmp', undefined]);
    expect(syns && how(syns)).toEqual(['hping3', 'tcp-syn', 22]);
    expect(abilityOf('rtt', 'hping3')?.prepare(JSON.parse(JSON.stringify(syns?.spec)))).toBeDefined();
  });

  test('every attempt is one that an ability can prepare', () => {
    for (const kind of kinds) {
      const attempts = attemptsOf({ kind: kind.kind, ...musts[kind.kind] });
      expect(attempts.length).toBeGreaterThan(0);
      for (const { measurement, tool, spec, schemaVersion } of attempts) {
        const ability = abilityOf(measurement, tool);
        expect(ability?.schemaVersion).toBe(schemaVersion);
        // A light attempt may help a heavy test, never the other way round.
        if (kind.sharing !== 'exclusive') expect(ability?.sharing).toBe(kind.sharing);
        expect(() => ability?.prepare(JSON.parse(JSON.stringify(spec)))).not.toThrow();
      }
    }
  });
});

describe('the catalogue', () => {
  test('has a JSON Schema of each kind, which names each parameter and demands the kind alone', () => {
    const [single, rtt] = kindCatalogue();
    expect(single?.schema).toMatchObject({ type: 'object', additionalProperties: false, required: ['kind'] });
    expect(Object.keys(Object(single?.schema.properties))).toEqual(
      expect.arrayContaining([
        'kind',
        'name',
        'direction',
        'durationS',
        'omitS',
        'repeats',
        'onFailure',
        'congestionControl',
        'windowBytes',
        'mssBytes',
        'dscp',
        'rateBps',
        'tool',
        'capture',
      ]),
    );
    expect(Object.keys(Object(rtt?.schema.properties))).toEqual(
      expect.arrayContaining(['count', 'intervalS', 'method']),
    );
    expect(criterionSchema()).toMatchObject({ required: ['metric', 'op', 'value'] });
  });

  test('knows the unit of every metric of every kind', () => {
    for (const kind of kinds) expect(kind.metrics.filter((name) => metricFact(name) === undefined)).toEqual([]);
    expect(kindOf('parallel')?.metrics).toEqual(expect.arrayContaining(['throughput', 'fairness', 'ratio-to-single']));
    expect(kindOf('window-sweep')?.metrics).toEqual(expect.arrayContaining(['throughput', 'window-ceiling']));
  });

  test('names the metrics of the product', () => {
    expect(kindOf('single-stream')?.metrics).toEqual(
      expect.arrayContaining(['throughput', 'limited.send-buffer', 'transfer-time-ratio']),
    );
    expect(kindOf('rtt')?.metrics).toEqual(['rtt.min', 'rtt.mean', 'rtt.p50', 'rtt.p95', 'rtt.max', 'loss', 'jitter']);
    expect(kindOf('nothing')).toBeUndefined();
  });
});
