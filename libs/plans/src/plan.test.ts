import { describe, expect, test } from 'vitest';
import { exclusive, kindOf, kinds, PlanInput, parsePlan } from './index.js';
import { somePath } from './test-support/attempts.js';

const criterion = { metric: 'throughput', op: '>=', value: 1e6 };
const issuesOf = (raw: unknown) => {
  const parsed = parsePlan(raw);
  return parsed.ok ? [] : parsed.issues.map(({ pointer, detail }) => `${pointer} ${detail}`);
};

test('a plan gets its defaults', () => {
  const parsed = parsePlan({ tests: [{ kind: 'rtt' }] });
  expect(parsed).toMatchObject({ ok: true, plan: { tests: [{ kind: 'rtt', repeats: 1 }], criteria: [] } });
  expect(PlanInput.parse({ tests: [{ kind: 'single-stream' }], criteria: [criterion] }).criteria).toEqual([
    { ...criterion, aggregate: 'median' },
  ]);
});

describe('what is wrong is told with its place', () => {
  test.each([
    [{}, '#/tests'],
    [{ tests: [] }, '#/tests'],
    [{ tests: Array.from({ length: 65 }, () => ({ kind: 'rtt' })) }, '#/tests'],
    [{ tests: [{ kind: 'rtt' }], more: 1 }, '#/more unknown field more'],
    [{ tests: [{ kind: 'rtt', 'a/b~c': 1 }] }, '#/tests/0/a~1b~0c'],
    [{ tests: [{ kind: 'rtt' }, { kind: 'single-stream', durationS: -1 }] }, '#/tests/1/durationS'],
    [{ tests: [{ kind: 'warp' }] }, '#/tests/0/kind'],
    [
      {
        tests: [
          { kind: 'rtt', name: 'a' },
          { kind: 'rtt', name: 'a' },
        ],
      },
      '#/tests/1/name another test of this plan is named a',
    ],
    [{ tests: [{ kind: 'rtt' }], criteria: [{ metric: 'rtt.p50', op: '~', value: 1 }] }, '#/criteria/0/op'],
    [{ tests: [{ kind: 'rtt' }], criteria: [{ metric: 'rtt.p50', op: '<', value: '1' }] }, '#/criteria/0/value'],
    [
      { tests: [{ kind: 'rtt' }], criteria: [criterion] },
      '#/criteria/0/metric no metric throughput here; there are rtt.min',
    ],
    [
      { tests: [{ kind: 'rtt' }], criteria: [{ ...criterion, test: 'ghost' }] },
      '#/criteria/0/test no test of this plan has the name or kind ghost',
    ],
    [
      { tests: [{ kind: 'single-stream' }], criteria: [{ ...criterion, labels: { direction: 'reverse' } }] },
      '#/criteria/0/labels',
    ],
    [
      { tests: [{ kind: 'single-stream' }], criteria: [{ ...criterion, labels: { colour: 'red' } }] },
      '#/criteria/0/labels',
    ],
    [
      { tests: [{ kind: 'single-stream' }], criteria: [{ ...criterion, of: 'expected-loss' }] },
      '#/criteria/0/of throughput is no loss',
    ],
    [
      { tests: [{ kind: 'single-stream' }], criteria: [{ ...criterion, of: 'expected-rtt' }] },
      '#/criteria/0/of throughput is no round-trip time',
    ],
    [
      { tests: [{ kind: 'rtt' }], criteria: [{ metric: 'loss', op: '<', value: 1, of: 'committed-rate' }] },
      '#/criteria/0/of loss is no rate',
    ],
    [
      { tests: [{ kind: 'single-stream' }], criteria: [{ ...criterion, of: 'baseline' }] },
      '#/criteria/0/of this version keeps no baselines',
    ],
    [{ tests: [{ kind: 'rtt', count: 5, durationS: 5 }] }, '#/tests/0/count give count or durationS'],
    [{ tests: [{ kind: 'rtt', count: 100_000, intervalS: 60, repeats: 100 }] }, '#/tests/0/count'],
    [{ tests: [{ kind: 'single-stream', durationS: 3600, repeats: 25 }] }, '#/tests/0/repeats this test may take 25'],
    [
      {
        tests: [
          {
            kind: 'parallel',
            durationS: 3600,
            streams: Array.from({ length: 16 }, (_, i) => i + 2),
            direction: 'both',
          },
        ],
      },
      '#/tests/0 this test may take 34',
    ],
    [
      { tests: [{ kind: 'rtt' }, { kind: 'single-stream', tool: 'nuttcp', omitS: 2 }] },
      '#/tests/1/omitS nuttcp cannot leave out the first seconds (omitS); use iperf3 for that.',
    ],
    [
      { tests: [{ kind: 'single-stream', tool: 'nuttcp', congestionControl: 'cubic', direction: 'both' }] },
      '#/tests/0/congestionControl nuttcp cannot choose',
    ],
    [{ tests: [{ kind: 'single-stream', tool: 'nuttcp', direction: 'simultaneous' }] }, '#/tests/0/direction nuttcp'],
    [{ tests: [{ kind: 'single-stream', tool: 'nuttcp', windowBytes: 65_537 }] }, '#/tests/0/windowBytes nuttcp'],
    [
      { tests: [{ kind: 'single-stream', capture: true, direction: 'simultaneous' }] },
      '#/tests/0/capture both directions at once are two connections',
    ],
    [
      { tests: [{ kind: 'single-stream', mssBytes: 9217 }] },
      '#/tests/0/mssBytes at most 9216 bytes: iperf3 before 3.21',
    ],
    [{ tests: [{ kind: 'parallel', mssBytes: 32_767 }] }, '#/tests/0/mssBytes at most 9216'],
    [
      { tests: [{ kind: 'reachability', port: 443, count: 1000, intervalS: 60 }] },
      '#/tests/0/count count times intervalS is more than 3600 s',
    ],
    [
      { tests: [{ kind: 'udp-step-up', durationS: 4, stepDurationS: 5 }] },
      '#/tests/0/durationS durationS and stepDurationS say the same thing',
    ],
    [
      { tests: [{ kind: 'hop-characterization', durationS: 60, maxDurationS: 90 }] },
      '#/tests/0/durationS durationS and maxDurationS say the same thing',
    ],
    [{ tests: [{ kind: 'udp-step-up', omitS: 1 }] }, '#/tests/0/omitS 0: a load without congestion control'],
    [{ tests: [{ kind: 'trace', omitS: 1 }] }, '#/tests/0/omitS 0: each hop is asked'],
    [{ tests: [{ kind: 'path-mtu', omitS: 1 }] }, '#/tests/0/omitS 0: a size gets through'],
    [{ tests: [{ kind: 'reachability', port: 443, omitS: 1 }] }, '#/tests/0/omitS 0: every SYN counts'],
    [{ tests: [{ kind: 'hop-characterization', omitS: 1 }] }, '#/tests/0/omitS 0: the fastest packet'],
    [{ tests: [{ kind: 'trace', durationS: 0 }] }, '#/tests/0/durationS'],
    ['plan', '# '],
  ])('%j', (raw, start) => {
    const issues = issuesOf(raw);
    expect(issues).toHaveLength(1);
    expect(issues[0]?.startsWith(start)).toBe(true);
  });

  test('a field that was not sent is never pointed at', () => {
    const pointers = issuesOf({ tests: [{ kind: 'rtt', count: 1e300 }] }).map((issue) => issue.split(' ')[0]);
    expect(new Set(pointers)).toEqual(new Set(['#/tests/0/count']));
  });

  test('each unknown field and each wrong one has an issue of its own', () => {
    const raw = { tests: [{ kind: 'single-stream', a: 1, b: 2, repeats: 0 }] };
    expect(issuesOf(raw).map((issue) => issue.split(' ')[0])).toEqual([
      '#/tests/0/repeats',
      '#/tests/0/a',
      '#/tests/0/b',
    ]);
  });
});

describe('durationS and omitS', () => {
  const OWN: Readonly<Record<string, object>> = {
    reachability: { port: 443 },
    'window-sweep': { windowsBytes: [65_536] },
    'congestion-control-matrix': { algorithms: ['cubic'] },
  };
  const path = somePath();
  /** The specs of the attempts that a test begins with. */
  const specsOf = (kind: string, more: object): unknown[] => {
    const [test] = PlanInput.parse({ tests: [{ kind, ...OWN[kind], ...more }] }).tests;
    return kindOf(kind)!
      .attempts(test, path)
      .map(({ spec }) => spec);
  };

  test.each(kinds.map(({ kind }) => kind))('%s takes both', (kind) => {
    expect(issuesOf({ tests: [{ kind, ...OWN[kind], durationS: 20, omitS: 0 }] })).toEqual([]);
  });

  test.each(['trace', 'path-mtu', 'reachability'])('%s has a deadline of it', (kind) => {
    for (const spec of specsOf(kind, { durationS: 20 })) expect(spec).toMatchObject({ deadlineS: 20 });
    for (const spec of specsOf(kind, {})) expect(spec).not.toHaveProperty('deadlineS', expect.anything());
  });

  test('hop-characterization and udp-step-up have another name for it', () => {
    const both = { durationS: 20, maxDurationS: 20 };
    for (const more of [{ durationS: 20 }, { maxDurationS: 20 }, both])
      expect(specsOf('hop-characterization', more)).toMatchObject([{ maxDurationS: 20 }]);
    for (const more of [{ durationS: 7 }, { stepDurationS: 7 }, { durationS: 7, stepDurationS: 7 }])
      expect(specsOf('udp-step-up', { payloadBytes: 1200, ...more })).toMatchObject([{ durationS: 7 }]);
    expect(specsOf('udp-step-up', { payloadBytes: 1200 })).toMatchObject([{ durationS: 5 }]);
  });
});

test('what nuttcp can do is taken', () => {
  const test = {
    kind: 'single-stream',
    tool: 'nuttcp',
    direction: 'both',
    omitS: 0,
    windowBytes: 65_536,
    capture: true,
  };
  expect(issuesOf({ tests: [test] })).toEqual([]);
});

test.each([
  [{ kind: 'single-stream', direction: 'both' }, { labels: { direction: 'reverse' } }],
  [{ kind: 'single-stream' }, { test: 'single-stream' }],
  [
    { kind: 'single-stream', name: 'one' },
    { test: 'one', of: 'committed-rate', value: 0.9 },
  ],
  [{ kind: 'single-stream' }, { of: 'committed-rate', value: 0.97, aggregate: 'every' }],
  [{ kind: 'single-stream' }, { op: 'ge' }],
])('a criterion that a metric of the plan can meet: %j %j', (raw, more) => {
  expect(issuesOf({ tests: [{ kind: 'rtt' }, raw], criteria: [{ ...criterion, ...more }] })).toEqual([]);
});

test('a named test is no longer meant by its kind', () => {
  expect(
    issuesOf({ tests: [{ kind: 'single-stream', name: 'one' }], criteria: [{ ...criterion, test: 'single-stream' }] }),
  ).toHaveLength(1);
});

test('a plan is exclusive if one of its tests is', () => {
  const plan = (...list: string[]) => PlanInput.parse({ tests: list.map((kind) => ({ kind })) });
  expect(exclusive(plan('rtt', 'rtt'))).toBe(false);
  expect(exclusive(plan('rtt', 'single-stream'))).toBe(true);
});
