import type { FlowDirection, FlowFacts, LegFacts } from './facts.js';
import { known, leastOf, ratioOf } from './numbers.js';

/** Congestion controls that take loss as the sign of congestion; BBR does not (draft-cardwell-iccrg-bbr). */
const NOT_LOSS_BASED = /^(bbr|vegas|nv|dctcp|cdg|lp)/;

/** What several rules need of one flow, worked out once. Rates and windows are those of one stream. */
export interface FlowView {
  readonly flow: FlowFacts;
  readonly way: 'forward' | 'reverse';
  readonly measuredBps?: number;
  readonly perStreamBps?: number;
  readonly rttMs?: number;
  /** Smallest round trip that anything on this leg saw: the path without queues. */
  readonly idleRttMs?: number;
  /** How much the round trip grew under this flow. */
  readonly queueMs?: number;
  readonly rttGrowthRatio?: number;
  readonly receiveWindowShare?: number;
  readonly sendBufferShare?: number;
  /** Lost, as far as retransmissions tell: those that a DSACK proved needless are taken off. */
  readonly lossRatio?: number;
  readonly losses?: number;
  readonly isLossBased?: boolean;
}

export const wayOf = ({ direction, labels }: { direction: FlowDirection; labels: FlowFacts['labels'] }) =>
  (direction === 'simultaneous' ? labels.direction : direction) === 'reverse' ? 'reverse' : 'forward';

export function viewOf(flow: FlowFacts, leg: LegFacts): FlowView {
  const { sender, throughputBps } = flow;
  const rttMs = sender?.rttMeanMs;
  const idleRttMs = leastOf(known([flow.baselineRttMs, sender?.rttMinMs, ...leg.rtts.map((rtt) => rtt.minMs)]));
  const queueMs = rttMs === undefined || idleRttMs === undefined ? undefined : Math.max(0, rttMs - idleRttMs);
  return {
    flow,
    way: wayOf(flow),
    measuredBps: throughputBps,
    perStreamBps: ratioOf(throughputBps, flow.streams),
    rttMs,
    idleRttMs,
    queueMs,
    rttGrowthRatio: ratioOf(queueMs, idleRttMs),
    receiveWindowShare: shareOf(sender?.rwndLimitedMs, sender?.busyMs),
    sendBufferShare: shareOf(sender?.sndbufLimitedMs, sender?.busyMs),
    ...lossOf(flow),
    isLossBased: flow.congestionControl === undefined ? undefined : !NOT_LOSS_BASED.test(flow.congestionControl),
  };
}

const shareOf = (limitedMs: number | undefined, busyMs: number | undefined): number | undefined => {
  const share = ratioOf(limitedMs, busyMs);
  return share === undefined ? undefined : Math.min(1, share);
};

function lossOf({ retransmitRatio, retransmits, sender }: FlowFacts): Pick<FlowView, 'lossRatio' | 'losses'> {
  if (retransmitRatio === undefined) return {};
  const needless = Math.min(1, ratioOf(sender?.dsackDuplicates, retransmits) ?? 0);
  return {
    lossRatio: retransmitRatio * (1 - needless),
    losses: retransmits === undefined ? undefined : retransmits * (1 - needless),
  };
}
