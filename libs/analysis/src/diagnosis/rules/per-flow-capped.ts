import { udpCapacityBps } from '../capacity.js';
import { viewOf, wayOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { greatestOf, meanOf, ratioOf } from '../numbers.js';
import { mbps, times } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';

/** Streams whose rates lie this near each other get the same. */
const EVEN = 0.15;
/** From this growth of the round trip on, the single stream fills a queue of its own. */
const STANDING_QUEUE = 0.3;

/**
 * The path gives each flow the same rate and no more: a per-flow shaper or policer, a link of a bundle chosen by hash, a
 * cloud's limit for one flow (FIELD-CASES B25). Evidence: several streams each get what one alone gets, so the sum grows
 * with their number; no window holds the single one; and random loss does not explain it: little is lost, or UDP, which is
 * one flow too, meets the same cap, or the single stream stands in a queue (then a shaper holds it).
 */
export const perFlowCapped: Rule = {
  code: 'per-flow-capped',
  owner: 'path',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const capped = flow.streams === 1 ? view.measuredBps : view.perStreamBps;
    const partner = leg.flows
      .filter(
        (other) =>
          other !== flow &&
          wayOf(other) === wayOf(flow) &&
          other.streams > 1 !== flow.streams > 1 &&
          other.asked.windowBytes === flow.asked.windowBytes &&
          other.congestionControl === flow.congestionControl,
      )
      .sort((a, b) => b.streams - a.streams)[0];
    const [single, many] = flow.streams === 1 ? [flow, partner] : [partner, flow];
    const numbers = {
      measuredBps: view.measuredBps,
      perStreamBps: capped,
      sumBps: many?.throughputBps,
      streams: many?.streams,
      lossRatio: view.lossRatio,
      receiveWindowShare: view.receiveWindowShare,
    };
    if (capped === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if (isHeldByWindow(view) || (view.receiveWindowShare ?? 0) + (view.sendBufferShare ?? 0) > 0.3) return no(numbers);
    if (single?.throughputBps === undefined || many?.throughputBps === undefined)
      return cannotTell(numbers, ['one stream and several, the same way'], ['a parallel test']);
    const scaled = ratioOf(many.throughputBps, single.throughputBps * many.streams) ?? 0;
    const each = many.streamsBps ?? [];
    const mean = meanOf(each);
    const widest = mean === undefined ? 0 : (greatestOf(each.map((bps) => Math.abs(bps / mean - 1))) ?? 0);
    const told = { ...numbers, scalingRatio: scaled, unevenness: mean === undefined ? undefined : widest };
    const scales = Math.abs(scaled - 1) <= EVEN && many.streams > 1;
    if (!scales || widest > EVEN * 2 || flow.asked.rateBps !== undefined) return no(told);
    const udp = udpCapacityBps(leg, view.way);
    const alone = viewOf(single, leg);
    // Random loss would do the same; it makes no queue.
    const queued = (alone.rttGrowthRatio ?? 0) >= STANDING_QUEUE;
    const quiet = (alone.lossRatio ?? 0) < 1e-3 || queued;
    const sameInUdp =
      udp !== undefined && Math.abs(udp / single.throughputBps - 1) < 0.2 && many.throughputBps > udp * 1.3;
    if (sameInUdp || (quiet && view.lossRatio !== undefined)) return yes(told);
    return udp === undefined ? cannotTell(told, ['bottleneck rate from UDP'], ['a udp-step-up test']) : no(told);
  },
  prose: ({ evidence: e }) =>
    `Each flow gets about ${mbps(e.perStreamBps)} however many there are (${times(e.streams)} streams together ${mbps(e.sumBps)}): something limits the single flow, not the path. Ask who runs the path for its limit on one flow; use several connections meanwhile.`,
};
