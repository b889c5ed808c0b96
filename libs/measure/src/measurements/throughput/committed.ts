import {
  DEFAULT_FRAMING,
  type RateLayer,
  type TcpFraming,
  TheoryError,
  tcpPayloadCeilingBps,
} from '@plumbline/analysis';

/**
 * The TCP payload that a rate of a layer carries in full segments, in bit/s: what a throughput is fairly compared with.
 * Timestamps on and IPv4 unless said otherwise. Undefined: the MTU leaves no room for payload.
 */
export function payloadRateBps(
  rateBps: number,
  layer: RateLayer,
  mtuBytes = DEFAULT_FRAMING.mtuBytes,
  framing: Partial<Pick<TcpFraming, 'ipVersion' | 'timestamps'>> = {},
): number | undefined {
  try {
    return tcpPayloadCeilingBps(rateBps, layer, { ...DEFAULT_FRAMING, mtuBytes, ...framing });
  } catch (error) {
    if (error instanceof TheoryError) return undefined;
    throw error;
  }
}
