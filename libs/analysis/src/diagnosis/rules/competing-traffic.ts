import { committedTcpBps, provenCapacityBps } from '../capacity.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { known, leastOf } from '../numbers.js';
import { mbps, ms } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';
import { perFlowCapped } from './per-flow-capped.js';

/** Less than this of what the link carries, and a queue all the same: somebody else fills it. */
const SHARE = 0.8;
const GROWTH = 0.15;
/** The idle path has a queue already. */
const IDLE_GROWTH = 0.25;
const IDLE_MS = 2;

/**
 * Somebody else uses the link meanwhile. Evidence: a queue stands although this flow gets far less than the path has been
 * seen to carry: a link with a queue is busy, so the rest is another's; or the idle path already had a queue, and the flow
 * stays below the link.
 */
export const competingTraffic: Rule = {
  code: 'competing-traffic',
  owner: 'path',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const { measuredBps, rttGrowthRatio } = view;
    const proven = provenCapacityBps(leg, view);
    const capacity = proven ?? committedTcpBps(leg);
    const floor = leastOf(known([view.idleRttMs, leg.path.expectedRttMs]));
    const idle = leastOf(known(leg.rtts.map((rtt) => rtt.p50Ms ?? rtt.meanMs)));
    const idleGrowth = idle === undefined || floor === undefined ? undefined : idle - floor;
    const numbers = {
      measuredBps,
      capacityBps: capacity,
      rttMs: view.rttMs,
      idleRttMs: view.idleRttMs,
      idleQueueMs: idleGrowth,
      queueMs: view.queueMs,
      cwndMeanBytes: subject.flow.sender?.cwndMeanBytes,
    };
    if (measuredBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    // Several streams that each get what this one gets are no others: each has a limit of its own.
    if (isHeldByWindow(view) || perFlowCapped.judge(subject, leg)?.holds === 'yes') return no(numbers);
    if (rttGrowthRatio === undefined)
      return cannotTell(numbers, ['round-trip time under load and idle'], ['an rtt test; ss on the sending host']);
    if (capacity === undefined)
      return rttGrowthRatio < GROWTH
        ? no(numbers)
        : cannotTell(numbers, ['what the path can carry'], ['a udp-step-up test, at another time of day too']);
    if (measuredBps >= capacity * SHARE) return no(numbers);
    const idleBusy =
      idleGrowth !== undefined && floor !== undefined && idleGrowth > IDLE_MS && idleGrowth > floor * IDLE_GROWTH;
    const queued = rttGrowthRatio >= GROWTH && (view.queueMs ?? 0) >= 1;
    if (idleBusy || (queued && proven !== undefined)) return yes(numbers);
    return queued
      ? cannotTell(numbers, ['whether the path carries its committed rate'], ['a udp-step-up test'])
      : no(numbers);
  },
  prose: ({ evidence: e }) =>
    `Others use the link: a queue of ${ms(e.queueMs)} stands although this flow gets only ${mbps(e.measuredBps)} of the ${mbps(e.capacityBps)} that the path carries. Measure again at another time of day, and find out what else runs there.`,
};
