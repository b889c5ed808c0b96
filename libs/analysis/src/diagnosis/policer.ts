import { udpCapacityBps } from './capacity.js';
import type { LegFacts, UdpStepFacts } from './facts.js';
import type { FlowView } from './flow-view.js';
import type { Numbers } from './judgement.js';
import { known, sumOf } from './numbers.js';

/** A flow that gets this share of what UDP found to be the bottleneck is bound by it: its losses are of that bottleneck. */
const BOUND = 0.7;
/** So many losses must be expected of random loss before their absence says anything. */
const ENOUGH_LOSSES = 4;
/** A queue that holds less than this many full segments at the bottleneck's rate is none. */
const QUEUE_SEGMENTS = 10;
const SEGMENT_BYTES = 1500;

export interface PolicerSigns {
  readonly holds: 'yes' | 'no' | 'cannot-tell';
  readonly numbers: Numbers;
  readonly missing: readonly string[];
}

/**
 * A policer drops what is above its token rate at once; a link lets it wait first. Its signs (Flach et al., "An
 * Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016, section 3): a flow loses segments while its round trip does
 * not grow, and UDP loads below the same rate lose nothing, so that the loss is not random either.
 */
export function policerSigns(view: FlowView, leg: LegFacts): PolicerSigns {
  const tokenBps = udpCapacityBps(leg, view.way);
  const { lossRatio, measuredBps, queueMs, rttGrowthRatio } = view;
  const queueBytes = tokenBps === undefined || queueMs === undefined ? undefined : (tokenBps * queueMs) / 8000;
  const numbers = { measuredBps, lossRatio, queueMs, queueBytes, tokenRatePayloadBps: tokenBps };
  const answer = (holds: PolicerSigns['holds'], missing: readonly string[] = []): PolicerSigns => ({
    holds,
    numbers,
    missing,
  });
  if (measuredBps === undefined || lossRatio === undefined)
    return answer('cannot-tell', ['throughput and retransmissions']);
  const bound = tokenBps !== undefined && measuredBps >= tokenBps * BOUND;
  // A flow that backs off loses little at a policer: 1.5 / W^2 of its segments, W being its window.
  if (lossRatio === 0 || (view.losses ?? 0) < 2 || (!bound && (lossRatio < 1e-3 || (view.losses ?? 0) < 5)))
    return answer('no');
  if (queueMs === undefined || rttGrowthRatio === undefined)
    return answer('cannot-tell', ['round-trip time under load and idle']);
  if (tokenBps === undefined)
    return rttGrowthRatio > 0.25 ? answer('no') : answer('cannot-tell', ['bottleneck rate from UDP']);
  const flat = (queueBytes ?? 0) < QUEUE_SEGMENTS * SEGMENT_BYTES || rttGrowthRatio < 0.02;
  if (!flat || measuredBps > tokenBps * 1.1) return answer('no');
  if (bound && hasKnee(view, leg, tokenBps)) return answer('yes');
  const random = isRandom(view, leg, tokenBps, lossRatio);
  return random === undefined
    ? answer('cannot-tell', ['enough UDP datagrams below the bottleneck rate'])
    : answer(random ? 'no' : 'yes');
}

/** Whether UDP loads above the bottleneck rate lose much, and one below it hardly anything: a knee, and no random loss. */
function hasKnee(view: FlowView, leg: LegFacts, tokenBps: number): boolean {
  const steps = leg.udp.filter((udp) => udp.direction === view.way).flatMap((udp) => udp.steps);
  const clean = steps.some(({ offeredBps, lossRatio = 1 }) => offeredBps < tokenBps && lossRatio < 0.005);
  return clean && steps.some(({ offeredBps, lossRatio = 0 }) => offeredBps > tokenBps && lossRatio > 0.02);
}

/** Whether UDP loads well below the bottleneck lose what this flow loses: then the loss comes from no rate. */
function isRandom(view: FlowView, leg: LegFacts, tokenBps: number, lossRatio: number): boolean | undefined {
  const below = leg.udp
    .filter((udp) => udp.direction === view.way)
    .flatMap((udp) => udp.steps.filter((step) => step.offeredBps < tokenBps * 0.95 && step.lossRatio !== undefined));
  const sent = sumOf(known(below.map(packetsOf)));
  const lost = sumOf(known(below.map((step) => (packetsOf(step) ?? 0) * (step.lossRatio ?? 0))));
  if (sent * lossRatio < ENOUGH_LOSSES) return undefined;
  return lost > (sent * lossRatio) / 4;
}

/** Datagrams that were sent in a step; undefined where its length is not known. */
export const packetsOf = ({ offeredBps, durationS, payloadBytes = 1448 }: UdpStepFacts): number | undefined =>
  durationS === undefined ? undefined : (offeredBps * durationS) / 8 / payloadBytes;
