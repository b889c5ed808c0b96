import { pathMtu, pathMtuMetrics } from '@plumbline/measure';
import type { Metric, NullReason } from '@plumbline/model';
import { defineAdaptiveKind } from '../../adaptive-kind.js';
import { byCell, ownValue, stepMetric } from '../../derive.js';
import { type AttemptResult, defineKind } from '../../kind.js';
import { gapOf, nextAttempt, roundsOf } from './next.js';
import { PathMtuTest } from './test.js';

/** Rounds of one repeat are one sample: what they found together. */
function summarise(results: readonly AttemptResult[]): Metric[] {
  const cells = byCell(results);
  return (cells.length > 0 ? cells : [[]]).flatMap((ofCell) => {
    const cell = ofCell[0]?.plan.cell ?? {};
    const repeats = [...new Set(ofCell.map(({ plan }) => plan.repeat))];
    const samples = repeats.map((repeat) => sampleOf(roundsOf(ofCell, repeat, cell)));
    return pathMtuMetrics.map((fact) =>
      stepMetric(
        fact,
        samples.map((sample) => sample[fact.name]),
        cell,
      ),
    );
  });
}

type Sample = Record<(typeof pathMtuMetrics)[number]['name'], number | NullReason>;

function sampleOf(rounds: readonly AttemptResult[]): Sample {
  const gap = gapOf(rounds);
  if (gap)
    return { 'path-mtu': gap.passedBytes, 'path-mtu.refused': gap.refusedBytes, 'black-hole': Number(gap.blackHole) };
  const [first] = rounds;
  const own = (name: string) => (first ? ownValue(first, name) : 'attempt-failed');
  const failed = rounds.length > 1 ? 'attempt-failed' : undefined;
  const value = (name: string) => failed ?? own(name);
  return {
    'path-mtu': value('path-mtu'),
    'path-mtu.refused': value('path-mtu.refused'),
    'black-hole': value('black-hole'),
  };
}

export const pathMtuKind = defineAdaptiveKind(
  defineKind({
    kind: 'path-mtu',
    title: 'Path MTU',
    description:
      'The largest packet that gets through whole, each way; the hop that says so, or that nobody does: a black hole.',
    sharing: pathMtu.sharing,
    test: PathMtuTest,
    metrics: pathMtuMetrics.map((fact) => fact.name),
    labels: (test) => (test.direction === 'both' ? { direction: ['forward', 'reverse'] } : {}),
    attempts: (test, path) => [nextAttempt(test, path, [])].filter((plan) => plan !== undefined),
    summarise: (_test, results) => summarise(results),
  }),
  PathMtuTest,
  nextAttempt,
);
export { PathMtuTest } from './test.js';
