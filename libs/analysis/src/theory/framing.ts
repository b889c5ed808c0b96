import { finiteResult, requirePositive, requireWhole, TheoryError } from './theory-error.js';

/** Ethernet header 14 and frame check sequence 4 (IEEE 802.3, clause 3). */
export const ETHERNET_FRAME_BYTES = 18;
/** Preamble and start delimiter 8, gap between frames 12 (IEEE 802.3, clauses 3 and 4). */
export const ETHERNET_GAP_BYTES = 20;
/** What a packet costs on an untagged Ethernet beyond its IP bytes: 38 (RFC 6349, section 4.1.1). */
export const ETHERNET_OVERHEAD_BYTES = ETHERNET_FRAME_BYTES + ETHERNET_GAP_BYTES;
/** An 802.1Q tag; the MTU does not shrink for it (IEEE 802.1Q, clause 9.6). */
export const VLAN_TAG_BYTES = 4;
/** The shortest frame without tags, header and check sequence included (IEEE 802.3, clause 4.2.3.3). */
export const ETHERNET_MIN_FRAME_BYTES = 64;
export const UDP_HEADER_BYTES = 8;
export const TCP_HEADER_BYTES = 20;
/** The timestamps option with its padding (RFC 7323, appendix A). */
export const TCP_TIMESTAMPS_BYTES = 12;

export type IpVersion = 4 | 6;
/** IPv4 without options, IPv6 without extension headers (RFC 791, RFC 8200). */
export function ipHeaderBytes(ipVersion: IpVersion): number {
  if (ipVersion !== 4 && ipVersion !== 6) throw new TheoryError('ipVersion', `must be 4 or 6, not ${ipVersion}`);
  return ipVersion === 4 ? 20 : 40;
}

/** How TCP segments are packed: what stands around their payload. */
export interface TcpFraming {
  mtuBytes: number;
  ipVersion: IpVersion;
  /** Whether the timestamps option is on: Linux's default. */
  timestamps: boolean;
  vlanTags: number;
}
/** Ethernet's MTU, IPv4, timestamps, no tag. */
export const DEFAULT_FRAMING: TcpFraming = { mtuBytes: 1500, ipVersion: 4, timestamps: true, vlanTags: 0 };

/** IP, TCP and timestamps: what a full packet carries beside its payload, in bytes. */
export function tcpHeadersBytes(framing: Pick<TcpFraming, 'ipVersion' | 'timestamps'>): number {
  return ipHeaderBytes(framing.ipVersion) + TCP_HEADER_BYTES + (framing.timestamps ? TCP_TIMESTAMPS_BYTES : 0);
}

/** Payload of a full segment, options taken off: 1448 on Ethernet with timestamps (RFC 6691, section 2). @throws {TheoryError} */
export function segmentPayloadBytes(framing: TcpFraming): number {
  const payload = requireWhole('mtuBytes', framing.mtuBytes, 1) - tcpHeadersBytes(framing);
  if (payload < 1) throw new TheoryError('mtuBytes', `of ${framing.mtuBytes} leaves no room for payload`);
  return payload;
}

/**
 * Share of an Ethernet's line rate that is TCP payload: (MTU - IP - TCP - options) / (MTU + 38 + 4 * tags)
 * (RFC 6349, section 4.1.1). @throws {TheoryError}
 */
export function tcpShareOfEthernet(framing: TcpFraming): number {
  return segmentPayloadBytes(framing) / ethernetLineBytes(framing.mtuBytes, framing.vlanTags);
}

/** Share of a rate that counts IP bytes (a shaper, the lab) that is TCP payload: (MTU - IP - TCP - options) / MTU. @throws {TheoryError} */
export function tcpShareOfIp(framing: TcpFraming): number {
  return segmentPayloadBytes(framing) / framing.mtuBytes;
}

/** Bytes of line time that an IP packet takes on Ethernet, padding of short frames included. @throws {TheoryError} */
export function ethernetLineBytes(ipBytes: number, vlanTags = 0): number {
  return ethernetFrameBytes(ipBytes, vlanTags) + ETHERNET_GAP_BYTES;
}

/** Bytes of an Ethernet frame from destination address to check sequence, padding included. @throws {TheoryError} */
export function ethernetFrameBytes(ipBytes: number, vlanTags = 0): number {
  const tagBytes = VLAN_TAG_BYTES * requireWhole('vlanTags', vlanTags);
  return Math.max(requireWhole('ipBytes', ipBytes, 1) + ETHERNET_FRAME_BYTES, ETHERNET_MIN_FRAME_BYTES) + tagBytes;
}

/** Full frames a second on an Ethernet: line rate / ((MTU + 38 + 4 * tags) * 8) (RFC 6349, section 4.1.1). @throws {TheoryError} */
export function framesPerSecond(lineRateBps: number, mtuBytes: number, vlanTags = 0): number {
  return finiteResult(
    'frames a second',
    requirePositive('lineRateBps', lineRateBps) / (ethernetLineBytes(mtuBytes, vlanTags) * 8),
  );
}

/**
 * TCP over a T3 as RFC 6349, section 4.1.1 counts it: PPP 4, flags 2, CRC16 2, and whole frames only.
 * @returns payload in bit/s. @throws {TheoryError}
 */
export function t3PayloadBps(mtuBytes = 1500): number {
  const T3_RATE_BPS = 44.21e6;
  const frames = Math.floor(T3_RATE_BPS / ((requireWhole('mtuBytes', mtuBytes, 41) + 8) * 8));
  return (mtuBytes - 40) * 8 * frames;
}
