import { ethernetFrameBytes, type IpVersion, ipHeaderBytes, UDP_HEADER_BYTES } from './framing.js';
import { type RateLayer, udpPacketBytes } from './rate-layer.js';
import {
  finiteResult,
  requireFiniteList,
  requireNonNegative,
  requirePositive,
  requireWhole,
  TheoryError,
} from './theory-error.js';

/** Share of an Ethernet's line rate that is UDP payload, padding of short frames included. @throws {TheoryError} */
export function udpShareOfEthernet(payloadBytes: number, ipVersion: IpVersion = 4, vlanTags = 0): number {
  return payloadBytes / udpPacketBytes(payloadBytes, ipVersion, vlanTags).ethernet;
}

/** Share of a rate that counts IP bytes that is UDP payload. @throws {TheoryError} */
export function udpShareOfIp(payloadBytes: number, ipVersion: IpVersion = 4): number {
  return payloadBytes / udpPacketBytes(payloadBytes, ipVersion).ip;
}

/**
 * Y.1564's information rate of a UDP payload rate: Ethernet frames from destination address to check sequence
 * (ITU-T Y.1564, section 8.1; iperf3's `-b` counts payload). @throws {TheoryError}
 */
export function y1564InformationRateBps(
  payloadRateBps: number,
  payloadBytes: number,
  ipVersion: IpVersion = 4,
  vlanTags = 0,
): number {
  const ipBytes = requireWhole('payloadBytes', payloadBytes, 1) + UDP_HEADER_BYTES + ipHeaderBytes(ipVersion);
  const frameBytes = ethernetFrameBytes(ipBytes, vlanTags);
  return finiteResult('rate', (requirePositive('payloadRateBps', payloadRateBps) * frameBytes) / payloadBytes);
}

/** The same with preamble and gap: what it takes of the line. @throws {TheoryError} */
export function y1564LineRateBps(
  payloadRateBps: number,
  payloadBytes: number,
  ipVersion: IpVersion = 4,
  vlanTags = 0,
): number {
  const { ethernet } = udpPacketBytes(payloadBytes, ipVersion, vlanTags);
  return finiteResult('rate', (requirePositive('payloadRateBps', payloadRateBps) * ethernet) / payloadBytes);
}

export interface UdpLoad {
  offeredPayloadBps: number;
  payloadBytes: number;
  linkRateBps: number;
  linkLayer: RateLayer;
  /** Bytes of IP that wait before the link. */
  queueBytes: number;
  durationS: number;
  ipVersion?: IpVersion;
}
export interface UdpDelivery {
  offeredPacketsPerS: number;
  /** What the link carries, if that much is offered. */
  carriedPacketsPerS: number;
  /** Payload that arrives once the queue is full. */
  payloadBps: number;
  /** IP bytes offered, as a rate. */
  offeredIpBps: number;
  steadyLossRatio: number;
  queuePackets: number;
  sentPackets: number;
  deliveredPackets: number;
  lostPackets: number;
  /** Over the whole test: the queue holds some back from being lost. */
  lossRatio: number;
}

/** A constant UDP load on a drop-tail link: what arrives, what is lost (conservation of packets). @throws {TheoryError} */
export function udpDelivery(load: UdpLoad): UdpDelivery {
  const packet = udpPacketBytes(load.payloadBytes, load.ipVersion ?? 4);
  const bytesOnLink = packet[load.linkLayer];
  if (bytesOnLink === undefined)
    throw new TheoryError('linkLayer', `must be ethernet, ip or payload, not ${load.linkLayer}`);
  const durationS = requirePositive('durationS', load.durationS);
  const offered = finiteResult(
    'packet rate',
    requirePositive('offeredPayloadBps', load.offeredPayloadBps) / 8 / load.payloadBytes,
  );
  const capacity = finiteResult('packet rate', requirePositive('linkRateBps', load.linkRateBps) / 8 / bytesOnLink);
  const carried = Math.min(offered, capacity);
  const queuePackets = Math.floor(requireNonNegative('queueBytes', load.queueBytes) / packet.ip);
  const sentPackets = finiteResult('packets', offered * durationS);
  const deliveredPackets = Math.min(sentPackets, carried * durationS + queuePackets);
  return {
    offeredPacketsPerS: offered,
    carriedPacketsPerS: capacity,
    payloadBps: carried * load.payloadBytes * 8,
    offeredIpBps: offered * packet.ip * 8,
    steadyLossRatio: 1 - carried / offered,
    queuePackets,
    sentPackets,
    deliveredPackets,
    lostPackets: sentPackets - deliveredPackets,
    lossRatio: 1 - deliveredPackets / sentPackets,
  };
}

export interface LossCount {
  /** Lost / sent; null when nothing was sent, or when more came than had been counted as sent: that is no loss of 0. */
  lossRatio: number | null;
  /** Packets credited back (late or reordered ones that an earlier interval had counted as lost) / sent. */
  creditedRatio: number;
}

/** Loss from a tool's counters (RFC 7680, section 4.1). A negative count is reordering, never shown as loss. @throws {TheoryError} */
export function lossFromCounts(lostPackets: number, sentPackets: number): LossCount {
  requireFiniteList('lostPackets', [lostPackets]);
  requireWhole('sentPackets', sentPackets);
  if (lostPackets > sentPackets) throw new TheoryError('lostPackets', `cannot be more than the ${sentPackets} sent`);
  if (sentPackets === 0) return { lossRatio: null, creditedRatio: 0 };
  if (lostPackets < 0) return { lossRatio: null, creditedRatio: -lostPackets / sentPackets };
  return { lossRatio: lostPackets / sentPackets, creditedRatio: 0 };
}
