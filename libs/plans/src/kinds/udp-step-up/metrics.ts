import { type MetricFact, udpLoadMetrics, udpStepUpMetrics } from '@plumbline/measure';
import type { Labels, Metric, NullReason } from '@plumbline/model';
import { ownValue, stepMetric } from '../../derive.js';
import type { AttemptResult } from '../../kind.js';
import { labelsKey, median, summarise } from '../../summarise.js';
import { bracket, type Climb, isLossy } from './climb.js';
import { isLoad, loadOf, sideOf } from './lane.js';

const [HIGHEST_CLEAN, BOTTLENECK] = udpStepUpMetrics;
/** A bottleneck carries the same whatever is offered: its loads may lie this far apart. */
const PLATEAU = 0.05;
/** A load counts as above or below the bottleneck when it differs by more than this. */
const CLEARLY = 0.02;

/** The step's metrics: each load's, labelled by what was offered, and what the whole climb found. */
export function udpStepUpSummary(stopLossRatio: number, results: readonly AttemptResult[]): Metric[] {
  const loads = results.filter(isLoad);
  const climbs = [...groupedBy(loads, ({ plan }) => `${plan.repeat} ${labelsKey(sideOf(plan.cell))}`).values()];
  const sides = [...groupedBy(climbs, (climb) => labelsKey(sideOf(climb[0]?.plan.cell ?? {}))).values()];
  const whole = sides.flatMap((ofSide) => {
    const labels = sideOf(ofSide[0]?.[0]?.plan.cell ?? {});
    return wholeMetrics(stopLossRatio, ofSide, labels);
  });
  return [...summarise(udpLoadMetrics, loads), ...(whole.length > 0 ? whole : wholeMetrics(stopLossRatio, [[]], {}))];
}

const wholeMetrics = (
  stopLossRatio: number,
  climbs: readonly (readonly AttemptResult[])[],
  labels: Labels,
): Metric[] => {
  const metric = (fact: MetricFact, worked: typeof highestClean) =>
    stepMetric(
      fact,
      climbs.map((climb) => worked(stopLossRatio, climb)),
      labels,
    );
  return [metric(HIGHEST_CLEAN, highestClean), metric(BOTTLENECK, bottleneck)];
};

/** What was really offered in the highest clean load: the sender may have fallen short of what it was asked. */
function highestClean(stopLossRatio: number, climb: readonly AttemptResult[]): number | NullReason {
  const { clean } = bracket({ stopLossRatio }, climb.map(loadOf));
  if (climb.length === 0) return 'contract-missing';
  if (climb.some((result) => result.ending.outcome !== 'completed')) return 'attempt-failed';
  const highest = climb.find((result) => loadOf(result).offeredBps === clean);
  return highest ? ownValue(highest, 'offered') : 'not-measured-here';
}

/**
 * What the lossy loads delivered, if the loads agree that the rate caused the loss: all lossy ones delivered about the same,
 * nothing above it was clean, and nothing below it was lossy. Loss that strikes at any rate makes no plateau.
 */
function bottleneck(stopLossRatio: number, climb: readonly AttemptResult[]): number | NullReason {
  if (climb.length === 0) return 'contract-missing';
  if (climb.some((result) => result.ending.outcome !== 'completed')) return 'attempt-failed';
  const limit: Pick<Climb, 'stopLossRatio'> = { stopLossRatio };
  const lossy = climb.filter((result) => isLossy(limit, loadOf(result)));
  const clean = climb.filter((result) => !isLossy(limit, loadOf(result)));
  const delivered = lossy.flatMap((result) => deliveredBps(result) ?? []);
  if (lossy.length === 0) return 'not-measured-here';
  if (delivered.length < lossy.length) return 'receiver-totals-missing';
  const rate = median(delivered);
  const contradicted =
    delivered.some((one) => Math.abs(one - rate) > PLATEAU * rate) ||
    clean.some((result) => offeredBps(result) > rate * (1 + CLEARLY)) ||
    lossy.some((result) => offeredBps(result) < rate * (1 - CLEARLY));
  return contradicted ? 'tool-cannot-say' : rate;
}

const offeredBps = (result: AttemptResult): number => {
  const own = ownValue(result, 'offered');
  return typeof own === 'number' ? own : loadOf(result).offeredBps;
};

function deliveredBps(result: AttemptResult): number | undefined {
  for (const name of ['delivered.steady', 'delivered']) {
    const value = ownValue(result, name);
    if (typeof value === 'number') return value;
  }
  return undefined;
}

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
