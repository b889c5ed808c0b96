import { slowStart } from '../../theory/slow-start.js';
import { committedTcpBps, provenCapacityBps } from '../capacity.js';
import type { FlowFacts } from '../facts.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, theory, yes } from '../judgement.js';
import { greatestOf, medianOf } from '../numbers.js';
import { mbps } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** The start took this share of what was counted, and this much of the rate. */
const PART = 0.1;
const COSTS = 0.9;

/**
 * The test was too short: slow start (RFC 5681, section 3.1) is a good part of what was counted. Evidence: the series
 * reaches nine tenths of its later level only after the omitted start; where the readings are too few, the rounds that
 * theory needs for the path's rate.
 */
export const startupDominated: Rule = {
  code: 'startup-dominated',
  owner: 'our-host',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const { durationS, omitS = 0 } = flow;
    const capacity = provenCapacityBps(leg, view) ?? committedTcpBps(leg);
    const { level, seconds } = rampOf(flow);
    const ideal = theory(() =>
      capacity === undefined || view.idleRttMs === undefined
        ? null
        : slowStart(capacity, view.idleRttMs, flow.sender?.mssBytes ?? 1448).timeMs / 1000,
    );
    const rampS = seconds ?? ideal;
    const numbers = { measuredBps: view.measuredBps, levelBps: level, rampS, durationS, omitS, slowStartS: ideal };
    if (view.measuredBps === undefined || durationS === undefined)
      return cannotTell(numbers, ['throughput and duration']);
    if (rampS === undefined)
      return omitS >= 2 || durationS >= 20
        ? no(numbers)
        : cannotTell(numbers, ['the rate over time'], ['a longer test with omitS']);
    const counted = (rampS - omitS) / durationS;
    const against = level ?? capacity;
    const costs = against !== undefined && view.measuredBps < against * COSTS;
    return counted >= PART && costs ? yes({ ...numbers, rampShare: counted }) : no({ ...numbers, rampShare: counted });
  },
  prose: ({ evidence: e }) =>
    `The test was too short: it took ${e.rampS?.toFixed(2) ?? 'some'} s to get up to speed (${mbps(e.levelBps)}), and ${e.durationS ?? 'few'} s were counted from second ${e.omitS ?? 0} on. Leave out the start with omitS, and measure longer; an application that sends little at a time feels exactly this.`,
};

/** The level of the later half of a flow's series, and when it was first reached. */
function rampOf({ series }: FlowFacts): { readonly level?: number; readonly seconds?: number } {
  if (series.length < 4) return {};
  const late = series.slice(Math.floor(series.length / 2)).map((point) => point.bps);
  const level = medianOf(late);
  if (level === undefined || level <= 0 || greatestOf(late) === 0) return {};
  const reached = series.findIndex((point) => point.bps >= level * 0.9);
  return { level, seconds: reached <= 0 ? 0 : series[reached - 1]?.atS };
}
