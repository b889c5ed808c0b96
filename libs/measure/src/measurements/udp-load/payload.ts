import { convertRateBps, type RateLayer, TheoryError, udpPacketBytes } from '@plumbline/analysis';

/** IPv6 and UDP headers: what fits beside these fits beside the smaller IPv4 header too. */
const LARGEST_HEADERS_BYTES = 48;
const SMALLEST_PAYLOAD_BYTES = 16;

/** The largest datagram that travels in one packet of this MTU, over IPv4 and IPv6 alike. */
export const unfragmentedPayloadBytes = (mtuBytes: number): number =>
  Math.max(SMALLEST_PAYLOAD_BYTES, Math.min(65_507, Math.floor(mtuBytes) - LARGEST_HEADERS_BYTES));

/** The UDP payload that a rate of a layer carries in datagrams of this size, in bit/s. Undefined: there is no such rate. */
export function udpPayloadRateBps(rateBps: number, layer: RateLayer, payloadBytes: number): number | undefined {
  try {
    return convertRateBps(rateBps, layer, 'payload', udpPacketBytes(payloadBytes));
  } catch (error) {
    if (error instanceof TheoryError) return undefined;
    throw error;
  }
}
