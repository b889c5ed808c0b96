import {
  ethernetLineBytes,
  type IpVersion,
  ipHeaderBytes,
  segmentPayloadBytes,
  type TcpFraming,
  UDP_HEADER_BYTES,
} from './framing.js';
import { finiteResult, requireNonNegative, requirePositive, requireWhole, TheoryError } from './theory-error.js';

/** Where a rate is counted: the line of an Ethernet (preamble and gap included), IP bytes, or payload of TCP or UDP. */
export type RateLayer = 'ethernet' | 'ip' | 'payload';

/** The bytes of one packet at each layer: the same traffic is a different rate on each. */
export type PacketBytes = Readonly<Record<RateLayer, number>>;

/** A full TCP segment. @throws {TheoryError} */
export function tcpPacketBytes(framing: TcpFraming): PacketBytes {
  return {
    ethernet: ethernetLineBytes(framing.mtuBytes, framing.vlanTags),
    ip: framing.mtuBytes,
    payload: segmentPayloadBytes(framing),
  };
}

/** A UDP datagram in one packet. @throws {TheoryError} */
export function udpPacketBytes(payloadBytes: number, ipVersion: IpVersion = 4, vlanTags = 0): PacketBytes {
  const ip = requireWhole('payloadBytes', payloadBytes, 1) + UDP_HEADER_BYTES + ipHeaderBytes(ipVersion);
  return { ethernet: ethernetLineBytes(ip, vlanTags), ip, payload: payloadBytes };
}

/** The same traffic counted at another layer, so that a measurement meets its contract on equal terms. @throws {TheoryError} */
export function convertRateBps(rateBps: number, from: RateLayer, to: RateLayer, packet: PacketBytes): number {
  const [a, b] = [packet[from], packet[to]];
  if (a === undefined) throw new TheoryError('from', `must be ethernet, ip or payload, not ${from}`);
  if (b === undefined) throw new TheoryError('to', `must be ethernet, ip or payload, not ${to}`);
  return finiteResult(
    'rate',
    (requireNonNegative('rateBps', rateBps) * requirePositive('to', b)) / requirePositive('from', a),
  );
}

/** The most TCP payload that a link of this rate carries, headers taken off: 1 Gbit/s of Ethernet gives 941 Mbit/s. @throws {TheoryError} */
export function tcpPayloadCeilingBps(rateBps: number, layer: RateLayer, framing: TcpFraming): number {
  return convertRateBps(rateBps, layer, 'payload', tcpPacketBytes(framing));
}
