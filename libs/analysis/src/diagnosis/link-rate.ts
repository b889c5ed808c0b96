import { committedTcpBps, udpCapacityBps } from './capacity.js';
import type { LegFacts } from './facts.js';
import type { FlowView } from './flow-view.js';
import { medianOf } from './numbers.js';

/** A round trip this much above the idle one says that the link was busy just then. */
const BUSY_GROWTH = 1.1;
/** So many readings with a queue make a rate. */
const ENOUGH_POINTS = 4;
/** A queue holds at least so many full segments at the rate of just then: less is a late echo of a busy host. */
const QUEUE_BYTES = 4 * 1500;
/** A link with a queue works all the time: it then carries no less than the flow gets on the whole. */
const NO_LESS = 0.9;

export interface LinkRate {
  readonly bps: number;
  readonly source: 'udp' | 'busy-intervals' | 'delivery' | 'committed';
}

/**
 * The link's rate as TCP payload, from the best evidence of it: what UDP got through; what arrived while a queue stood at
 * the bottleneck (a link with a queue works all the time); what the kernel saw delivered by a sender that probes for
 * bandwidth (BBR: the maximum of the delivery rate is the link); last the contract, and only when the flow reaches it.
 */
export function linkRateOf(view: FlowView, leg: LegFacts): LinkRate | undefined {
  const udp = udpCapacityBps(leg, view.way);
  if (udp !== undefined) return { bps: udp, source: 'udp' };
  const busy = busyRateBps(view);
  if (busy !== undefined) return { bps: busy, source: 'busy-intervals' };
  const committed = committedTcpBps(leg);
  if (committed !== undefined && (view.measuredBps ?? 0) >= committed * 0.9)
    return { bps: committed, source: 'committed' };
  const delivery = view.isLossBased === false ? view.flow.sender?.deliveryMedianBps : undefined;
  return delivery === undefined ? undefined : { bps: delivery * view.flow.streams, source: 'delivery' };
}

/** What arrived while the round trip was above the idle one; the omitted start is left out. */
export function busyRateBps(view: FlowView): number | undefined {
  const { idleRttMs, flow } = view;
  if (idleRttMs === undefined) return undefined;
  const counted = flow.series.filter((point) => point.atS > (flow.omitS ?? 0));
  const busy = counted.filter(({ rttMs = 0, bps }) => {
    const queueBytes = ((rttMs - idleRttMs) * bps) / 8000;
    return rttMs > idleRttMs * BUSY_GROWTH && queueBytes >= QUEUE_BYTES;
  });
  if (busy.length < ENOUGH_POINTS || busy.length < counted.length * 0.3) return undefined;
  const rate = medianOf(busy.map((p) => p.bps));
  return rate !== undefined && rate >= (view.measuredBps ?? 0) * NO_LESS ? rate : undefined;
}
