import { committedTcpBps, provenCapacityBps } from '../capacity.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { linkRateOf } from '../link-rate.js';
import { policerSigns } from '../policer.js';
import { mbps, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';
import { hostCpuLimited } from './host-cpu-limited.js';
import { perFlowCapped } from './per-flow-capped.js';

/** A flow that gets this share of the link is limited by it (issue 4: within 15 %). */
const FILLS = 0.85;
/** Seen to carry so much more, the path is not what limits this flow. */
const PROVEN_MORE = 1.25;

/**
 * The flow fills the path's slowest link. Evidence: the link's rate (see link-rate.ts) is what the flow gets. Not when a
 * window holds it, when a policer drops it, or when the path has been seen to carry much more.
 */
export const linkLimited: Rule = {
  code: 'link-limited',
  owner: 'path',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const { measuredBps } = view;
    const link = linkRateOf(view, leg);
    const proven = provenCapacityBps(leg, view);
    const numbers = {
      measuredBps,
      linkRateBps: link?.bps,
      provenCapacityBps: proven,
      committedBps: committedTcpBps(leg),
      rttMs: view.rttMs,
      idleRttMs: view.idleRttMs,
      queueMs: view.queueMs,
    };
    if (measuredBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if (isHeldByWindow(view) || perFlowCapped.judge(subject, leg)?.holds === 'yes') return no(numbers, link?.bps);
    if (proven !== undefined && proven > measuredBps * PROVEN_MORE) return no(numbers, link?.bps);
    if (link === undefined)
      return cannotTell(numbers, ['rate of the link'], ['a udp-step-up test: it finds the bottleneck rate']);
    if (measuredBps < link.bps * FILLS || policerSigns(view, leg).holds === 'yes') return no(numbers, link.bps);
    // A host that starves delays acknowledgements: what looks like a queue then is none.
    if (link.source !== 'udp' && hostCpuLimited.judge(subject, leg)?.holds === 'yes')
      return cannotTell(numbers, ['rate of the link, from UDP'], ['a udp-step-up test: it finds the bottleneck rate']);
    return yes({ ...numbers, fillRatio: measuredBps / link.bps }, link.bps);
  },
  prose: ({ evidence: e, predictedCeilingBps }) =>
    `The flow gets ${percent(e.fillRatio)} of the ${mbps(predictedCeilingBps)} that the slowest link carries of TCP payload. Nothing at the hosts raises it; only a faster link does.`,
};
