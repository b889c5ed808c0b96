import { type IpVersion, ipHeaderBytes } from './framing.js';
import { requireWhole, TheoryError } from './theory-error.js';

/** Encapsulations whose overhead does not depend on the packet. */
export type Tunnel = 'pppoe' | 'mpls' | 'ipip' | 'gre' | 'gre-key' | 'vxlan' | 'geneve' | 'wireguard' | 'gtp-u';

/** Bytes that each puts between the outer IP header and the inner packet; the outer header comes on top where there is one. */
const INNER: Readonly<Record<Tunnel, { bytes: number; outerIp: boolean }>> = {
  // RFC 2516, section 7: PPPoE 6 and PPP 2. RFC 3032, section 2.1: one label.
  pppoe: { bytes: 8, outerIp: false },
  mpls: { bytes: 4, outerIp: false },
  // RFC 2003 and RFC 4213: nothing but the outer header. RFC 2784, section 2.1; RFC 2890, section 2 (key).
  ipip: { bytes: 0, outerIp: true },
  gre: { bytes: 4, outerIp: true },
  'gre-key': { bytes: 8, outerIp: true },
  // RFC 7348, section 5: UDP 8, VXLAN 8, inner Ethernet 14. RFC 8926, section 3.4: the same without options.
  vxlan: { bytes: 30, outerIp: true },
  geneve: { bytes: 30, outerIp: true },
  // www.wireguard.com/papers/wireguard.pdf, section 5.4.6: UDP 8, header 16, tag 16 (padding to 16 within the MTU aside).
  wireguard: { bytes: 40, outerIp: true },
  // 3GPP TS 29.281, section 5.1: UDP 8, GTP 8.
  'gtp-u': { bytes: 16, outerIp: true },
};

/** What a tunnel takes from each packet, outer IP header included: VXLAN over IPv4 takes 50. @throws {TheoryError} */
export function tunnelOverheadBytes(tunnel: Tunnel, outerIpVersion: IpVersion = 4): number {
  const found = INNER[tunnel];
  if (!found) throw new TheoryError('tunnel', `must be one of ${Object.keys(INNER).join(', ')}, not ${tunnel}`);
  return found.bytes + (found.outerIp ? ipHeaderBytes(outerIpVersion) : 0);
}

/** The largest inner IP packet that fits without fragmentation. @throws {TheoryError} */
export function tunnelMtuBytes(tunnel: Tunnel, outerMtuBytes: number, outerIpVersion: IpVersion = 4): number {
  return room(
    requireWhole('outerMtuBytes', outerMtuBytes, 1) - tunnelOverheadBytes(tunnel, outerIpVersion),
    outerMtuBytes,
  );
}

/** An IPsec transform: what ESP adds to a packet depends on its padding (RFC 4303, section 2). */
export interface EspTransform {
  ivBytes: number;
  icvBytes: number;
  /** Payload, padding, pad length and next header together are a multiple of this; at least 4. */
  blockBytes: number;
}
/** AES-GCM with a 16-byte check value (RFC 4106, sections 3 and 6). */
export const ESP_AES_GCM: EspTransform = { ivBytes: 8, icvBytes: 16, blockBytes: 4 };
/** AES-CBC with HMAC-SHA-256-128 (RFC 3602, section 3; RFC 4868, section 2.6). */
export const ESP_AES_CBC_SHA256: EspTransform = { ivBytes: 16, icvBytes: 16, blockBytes: 16 };

/**
 * The largest inner IP packet of an IPsec tunnel (ESP in tunnel mode, RFC 4303, section 2).
 * @param natTraversal ESP in UDP: 8 bytes more (RFC 3948, section 2.1). @throws {TheoryError}
 */
export function espTunnelMtuBytes(
  outerMtuBytes: number,
  transform: EspTransform = ESP_AES_GCM,
  outerIpVersion: IpVersion = 4,
  natTraversal = false,
): number {
  const outside = ipHeaderBytes(outerIpVersion) + (natTraversal ? 8 : 0) + 8 + transform.ivBytes + transform.icvBytes;
  const block = Math.max(requireWhole('blockBytes', transform.blockBytes, 1), 4);
  const encrypted = Math.floor((requireWhole('outerMtuBytes', outerMtuBytes, 1) - outside) / block) * block;
  return room(encrypted - 2, outerMtuBytes);
}

function room(innerBytes: number, outerMtuBytes: number): number {
  if (innerBytes > 0) return innerBytes;
  throw new TheoryError('outerMtuBytes', `of ${outerMtuBytes} leaves no room for a packet`);
}
