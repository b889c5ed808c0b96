import { DEFAULT_FRAMING, type TcpFraming } from '../theory/framing.js';
import { convertRateBps, tcpPacketBytes, tcpPayloadCeilingBps, udpPacketBytes } from '../theory/rate-layer.js';
import type { FlowFacts, LegFacts, UdpFacts } from './facts.js';
import { type FlowView, wayOf } from './flow-view.js';
import { theory } from './judgement.js';
import { greatestOf, known, medianOf } from './numbers.js';

/** Payload of a datagram where no spec says it: iperf3's own default on Ethernet. */
const UDP_PAYLOAD_BYTES = 1448;

export const framingOf = (leg: LegFacts): TcpFraming => ({
  ...DEFAULT_FRAMING,
  mtuBytes: leg.path.mtu ?? DEFAULT_FRAMING.mtuBytes,
});

export const udpPayloadOf = (udp: UdpFacts): number =>
  medianOf(known(udp.steps.map((s) => s.payloadBytes))) ?? UDP_PAYLOAD_BYTES;

/**
 * What arrives when more is offered than the path carries: the steady delivery of the lossiest loads, in UDP payload. Null
 * bottleneck of the step itself wins where it is known.
 */
export function udpBottleneckBps(udp: UdpFacts): number | undefined {
  if (udp.bottleneckBps !== undefined) return udp.bottleneckBps;
  const full = udp.steps.filter((s) => (s.lossRatio ?? 0) > 0.02 && (s.deliveredBps ?? 0) < s.offeredBps * 0.99);
  const rates = known(full.map((s) => s.deliveredSteadyBps ?? s.deliveredBps));
  const rate = medianOf(rates);
  // Random loss lets more through the more is offered; a bottleneck does not.
  return rate !== undefined && rates.every((other) => Math.abs(other / rate - 1) < 0.1) ? rate : undefined;
}

/** The same traffic in the IP bytes that a link or a policer counts. */
export const udpIpBps = (rateBps: number | undefined, payloadBytes: number): number | undefined =>
  rateBps === undefined
    ? undefined
    : theory(() => convertRateBps(rateBps, 'payload', 'ip', udpPacketBytes(payloadBytes)));

const tcpOfIp = (ipBps: number | undefined, leg: LegFacts): number | undefined =>
  ipBps === undefined
    ? undefined
    : theory(() => convertRateBps(ipBps, 'ip', 'payload', tcpPacketBytes(framingOf(leg))));

/** What UDP found the path to carry in one direction, as TCP payload. Measured with one flow of datagrams. */
export function udpCapacityBps(leg: LegFacts, way: FlowView['way']): number | undefined {
  const own = leg.udp.filter((udp) => udp.direction === way);
  return greatestOf(known(own.map((udp) => tcpOfIp(udpIpBps(udpBottleneckBps(udp), udpPayloadOf(udp)), leg))));
}

/** What arrived of UDP without a bottleneck being found: the path carries at least that. */
export function udpAtLeastBps(leg: LegFacts, way: FlowView['way']): number | undefined {
  const own = leg.udp.filter((udp) => udp.direction === way);
  const best = own.map((udp) =>
    tcpOfIp(
      udpIpBps(greatestOf(known([udp.highestCleanBps, ...udp.steps.map((s) => s.deliveredBps)])), udpPayloadOf(udp)),
      leg,
    ),
  );
  return greatestOf(known(best));
}

/** The most that any other flow of the leg got the same way, several streams together included. */
export function otherFlowsBps(leg: LegFacts, flow: FlowFacts): number | undefined {
  const others = leg.flows.filter((other) => other !== flow && wayOf(other) === wayOf(flow));
  return greatestOf(known(others.map((other) => other.throughputBps)));
}

/** The contract's rate as TCP payload. A promise, no evidence of what the path carries. */
export function committedTcpBps(leg: LegFacts): number | undefined {
  const { committedRateBps, rateLayer } = leg.path;
  return committedRateBps === undefined
    ? undefined
    : theory(() => tcpPayloadCeilingBps(committedRateBps, rateLayer, framingOf(leg)));
}

/** The most that the path has been seen to carry this way, this flow not counted. */
export const provenCapacityBps = (leg: LegFacts, view: FlowView): number | undefined =>
  greatestOf(known([udpCapacityBps(leg, view.way) ?? udpAtLeastBps(leg, view.way), otherFlowsBps(leg, view.flow)]));

/** The most TCP payload that anything was seen to carry one way. */
export const provenRateBps = (leg: LegFacts, way: FlowView['way']): number | undefined =>
  greatestOf(
    known([
      udpCapacityBps(leg, way) ?? udpAtLeastBps(leg, way),
      ...leg.flows.filter((flow) => wayOf(flow) === way).map((flow) => flow.throughputBps),
    ]),
  );
