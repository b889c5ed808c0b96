import { type Ending, ended, type Labels, type Metric, metric, missing, type Path } from '@plumbline/model';
import { describe, expect, test } from 'vitest';
import {
  type AttemptResult,
  Criterion,
  evaluate,
  kindOf,
  labelled,
  type MeasuredStep,
  type References,
  summarise,
  Test,
} from './index.js';

const path: Path = {
  name: 'a-b',
  source: { probe: 'a', endpoint: 'x' },
  destination: { probe: 'b', endpoint: 'x' },
  committedRateBps: 20e6,
  rateLayer: 'ip',
  expectedRttMs: 45,
  expectedLossRatio: 0.01,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const facts = [{ name: 'throughput', unit: 'bit/s', better: 'higher', description: '' }] as const;
type Sample = number | null | Ending;
function step(samples: readonly Sample[], cell: Labels = {}, raw: object = { kind: 'single-stream' }): MeasuredStep {
  const results = samples.map((sample, i) => {
    const ending: Ending = typeof sample === 'object' && sample !== null ? sample : { outcome: 'completed' };
    const one: Metric =
      typeof sample === 'number'
        ? metric('throughput', 'bit/s', sample)
        : missing('throughput', 'bit/s', 'receiver-totals-missing');
    const plan = { repeat: i + 1, cell, measurement: 'throughput', schemaVersion: 1, tool: 'iperf3', spec: {} };
    return { plan, ending, metrics: labelled([one], cell) };
  });
  return { test: Test.parse(raw), metrics: summarise(facts, results), results };
}
const judge = (raw: object, steps: readonly MeasuredStep[], references: Partial<References> = {}) =>
  evaluate([Criterion.parse({ metric: 'throughput', op: '>=', value: 10, ...raw })], steps, { path, ...references })[0];

describe('a comparison', () => {
  test.each([
    ['<', [9], 'pass'],
    ['<', [10], 'fail'],
    ['<=', [10], 'pass'],
    ['>', [10], 'fail'],
    ['>=', [10], 'pass'],
    ['==', [10], 'pass'],
    ['!=', [10], 'fail'],
    ['ge', [10], 'pass'],
    ['lt', [10], 'fail'],
  ])('%s 10 of %j: %s', (op, samples, verdict) => {
    expect(judge({ op }, [step(samples)])).toMatchObject({ verdict, measured: samples[0], limit: 10 });
  });

  test.each([
    ['median', [5, 12, 30], 'pass', 12],
    ['min', [5, 12, 30], 'fail', 5],
    ['max', [5, 12, 30], 'pass', 30],
    ['every', [5, 12, 30], 'fail', 5],
    ['every', [11, 12, 30], 'pass', 11],
  ])('%s of %j: %s', (aggregate, samples, verdict, measured) => {
    expect(judge({ aggregate }, [step(samples)])).toMatchObject({ verdict, measured });
  });
});

describe('what is not known is inconclusive, never pass', () => {
  const failed = ended('tool-failed');
  test.each([
    [{}, [step([null])], 'receiver-totals-missing'],
    [{}, [step([failed])], 'receiver-totals-missing'],
    [{}, [], 'nothing was measured'],
    [{ aggregate: 'every' }, [step([11, failed])], 'not every repeat'],
    [{ of: 'baseline', value: 0.9 }, [step([11])], 'no baseline'],
    [{ test: 'rtt' }, [step([11])], 'nothing was measured'],
    [{ op: '<', aggregate: 'min' }, [step([failed, null])], 'receiver-totals-missing'],
    [{ op: '!=' }, [step([null])], 'receiver-totals-missing'],
  ])('%j', (raw, steps, words) => {
    const judged = judge(raw, steps);
    expect(judged?.verdict).toBe('inconclusive');
    expect(judged?.text).toContain(words);
  });

  test('a repeat that breaks the limit fails it, whether or not another is missing', () => {
    expect(judge({ aggregate: 'every' }, [step([5, ended('tool-failed')])])?.verdict).toBe('fail');
  });

  test('a path without the figure', () => {
    const { committedRateBps: _none, ...bare } = path;
    expect(judge({ of: 'committed-rate', value: 0.9 }, [step([11])], { path: bare })).toMatchObject({
      verdict: 'inconclusive',
      limit: null,
    });
  });
});

describe('a ratio of something', () => {
  test('the committed rate is taken less headers: 20 Mbit/s of IP carries 1448/1500 of it', () => {
    const limit = (0.95 * 20e6 * 1448) / 1500;
    expect(judge({ of: 'committed-rate', value: 0.95 }, [step([limit * 1.001])])?.limit).toBeCloseTo(limit, 3);
    expect(judge({ of: 'committed-rate', value: 0.95 }, [step([limit * 1.001])])?.verdict).toBe('pass');
    expect(judge({ of: 'committed-rate', value: 0.95 }, [step([limit * 0.999])])?.verdict).toBe('fail');
    const payload = { ...path, rateLayer: 'payload' as const };
    expect(judge({ of: 'committed-rate', value: 0.95 }, [step([1])], { path: payload })?.limit).toBe(19e6);
  });

  test('the baseline is asked for the same metric of the same test', () => {
    const asked: unknown[] = [];
    const baselineOf = (of: { kind: string }, { name, labels }: Metric) => {
      asked.push([of.kind, name, labels?.direction]);
      return 100;
    };
    expect(
      judge({ of: 'baseline', value: 0.97 }, [step([98], { direction: 'forward' })], { baselineOf }),
    ).toMatchObject({ verdict: 'pass', limit: 97 });
    expect(asked).toEqual([['single-stream', 'throughput', 'forward']]);
  });

  test('expected RTT and loss', () => {
    const rtt = Test.parse({ kind: 'rtt' });
    const metrics = [metric('rtt.p50', 'ms', 50), metric('loss', 'ratio', 0.005)];
    const steps = [{ test: rtt, metrics, results: [] }];
    const of = (raw: object) => evaluate([Criterion.parse(raw)], steps, { path })[0];
    expect(of({ metric: 'rtt.p50', op: '<=', value: 1.2, of: 'expected-rtt' })).toMatchObject({
      verdict: 'pass',
      limit: 54,
    });
    expect(of({ metric: 'loss', op: '<=', value: 0.1, of: 'expected-loss' })).toMatchObject({
      verdict: 'fail',
      limit: 0.001,
    });
  });
});

describe('several metrics', () => {
  const two = [step([11], { direction: 'forward' }), step([5], { direction: 'reverse' })];

  test('each must hold, and the one that does not is shown', () => {
    expect(judge({}, two)).toMatchObject({ verdict: 'fail', measured: 5 });
    expect(judge({}, [step([11]), step([null])])).toMatchObject({ verdict: 'inconclusive', measured: null });
  });

  test('labels choose among them', () => {
    expect(judge({ labels: { direction: 'forward' } }, two)?.verdict).toBe('pass');
    expect(judge({ labels: { direction: 'forward' }, aggregate: 'every' }, two)?.verdict).toBe('pass');
  });

  test('a name chooses one test', () => {
    const named = step([5], {}, { kind: 'single-stream', name: 'slow' });
    expect(judge({ test: 'slow' }, [step([11]), named])).toMatchObject({ verdict: 'fail', test: 'slow' });
    expect(judge({ test: 'single-stream' }, [step([11]), named])?.verdict).toBe('pass');
  });
});

describe('what no single attempt has', () => {
  const climb = (repeat: number, loads: readonly (readonly [offeredBps: number, loss: number])[]): AttemptResult[] =>
    loads.map(([offeredBps, loss]) => ({
      plan: {
        repeat,
        cell: { offeredBps: String(offeredBps) },
        measurement: 'udp-load',
        schemaVersion: 1,
        tool: 'iperf3',
        spec: {},
      },
      ending: { outcome: 'completed' },
      metrics: [
        metric('offered', 'bit/s', offeredBps),
        metric('delivered', 'bit/s', offeredBps * (1 - loss)),
        metric('loss', 'ratio', loss),
      ],
    }));
  const climbs = Test.parse({ kind: 'udp-step-up', repeats: 2 });
  const results = [
    ...climb(1, [
      [10e6, 0],
      [20e6, 0],
      [30e6, 1 / 3],
    ]),
    ...climb(2, [
      [10e6, 0],
      [20e6, 0.05],
    ]),
  ];
  const steps = [{ test: climbs, results, metrics: kindOf('udp-step-up')?.summarise(climbs, results) ?? [] }];
  const judged = (raw: object) => evaluate([Criterion.parse({ op: '>=', ...raw })], steps, { path })[0];

  test.each([
    ['highest-clean-rate', 'every', 10e6, 'pass', 10e6],
    ['highest-clean-rate', 'every', 15e6, 'fail', 10e6],
    ['highest-clean-rate', 'min', 15e6, 'fail', 10e6],
    ['highest-clean-rate', 'max', 15e6, 'pass', 20e6],
    ['highest-clean-rate', 'median', 15e6, 'pass', 15e6],
    ['bottleneck-rate', 'min', 19e6, 'pass', 19e6],
    ['bottleneck-rate', 'max', 19.5e6, 'pass', 20e6],
  ])('%s, %s, at least %d: %s', (name, aggregate, value, verdict, measured) => {
    const seen = judged({ metric: name, aggregate, value });
    expect(seen?.verdict).toBe(verdict);
    expect(seen?.measured).toBeCloseTo(measured, 0);
  });

  test('a load that one climb offered is no part of the other', () => {
    const labels = { offeredBps: '30000000' };
    expect(judged({ metric: 'loss', labels, aggregate: 'every', op: '<', value: 0.5 })?.verdict).toBe('pass');
  });

  test('a climb that failed makes every inconclusive', () => {
    const broken = results.map((one, i) => (i === 4 ? { ...one, ending: ended('tool-failed'), metrics: [] } : one));
    const metrics = kindOf('udp-step-up')?.summarise(climbs, broken) ?? [];
    const raw = { metric: 'highest-clean-rate', aggregate: 'every', op: '>=', value: 1 };
    expect(evaluate([Criterion.parse(raw)], [{ test: climbs, results: broken, metrics }], { path })[0]?.verdict).toBe(
      'inconclusive',
    );
  });
});

test('the sentence says the limit, what was measured and why', () => {
  expect(judge({ value: 18.5e6 }, [step([19.3e6])])?.text).toBe(
    'throughput >= 18.5 Mbit/s: pass, measured 19.3 Mbit/s',
  );
  expect(judge({ of: 'committed-rate', value: 1 }, [step([19.3e6])])?.text).toBe(
    'throughput >= 19.31 Mbit/s (1 of committed-rate): fail, measured 19.3 Mbit/s',
  );
});
