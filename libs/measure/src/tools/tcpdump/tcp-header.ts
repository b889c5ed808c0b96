import type { Segment } from './segment.js';

const TCP = 6;
/** IPv6 extension headers that may stand before TCP: hop-by-hop, routing, destination options (RFC 8200 section 4). */
const EXTENSIONS = new Set([0, 43, 60]);

/** The TCP segment of an IP packet (RFC 791, RFC 8200, RFC 9293); undefined: no TCP, a fragment, or cut before its header's end. */
export function readTcp(packet: Uint8Array, atS: number): Segment | undefined {
  const ip = readIp(packet);
  if (!ip) return undefined;
  const tcp = packet.subarray(ip.headerBytes);
  if (tcp.length < 20) return undefined;
  const view = new DataView(tcp.buffer, tcp.byteOffset, tcp.byteLength);
  const headerBytes = (view.getUint8(12) >> 4) * 4;
  const flags = view.getUint8(13);
  if (headerBytes < 20) return undefined;
  const syn = (flags & 0x02) !== 0;
  return {
    atS,
    source: ip.source,
    sourcePort: view.getUint16(0),
    destination: ip.destination,
    destinationPort: view.getUint16(2),
    syn,
    ack: (flags & 0x10) !== 0,
    rst: (flags & 0x04) !== 0,
    fin: (flags & 0x01) !== 0,
    windowField: view.getUint16(14),
    payloadBytes: Math.max(0, ip.totalBytes - ip.headerBytes - headerBytes),
    ...(syn ? synOptions(tcp.subarray(20, headerBytes)) : {}),
  };
}

interface IpHeader {
  readonly source: string;
  readonly destination: string;
  readonly headerBytes: number;
  readonly totalBytes: number;
}

function readIp(packet: Uint8Array): IpHeader | undefined {
  const version = (packet[0] ?? 0) >> 4;
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  if (version === 4 && packet.length >= 20) {
    const headerBytes = ((packet[0] ?? 0) & 0x0f) * 4;
    const laterFragment = (view.getUint16(6) & 0x1fff) !== 0;
    if (packet[9] !== TCP || laterFragment || headerBytes < 20) return undefined;
    const [source, destination] = [ipv4(packet.subarray(12, 16)), ipv4(packet.subarray(16, 20))];
    // With segmentation offload the length may not fit its field: then it is 0 and the payload is not known.
    return { source, destination, headerBytes, totalBytes: view.getUint16(2) };
  }
  if (version !== 6 || packet.length < 40) return undefined;
  let next = packet[6] ?? 0;
  let headerBytes = 40;
  // Ends: each turn moves on by at least eight bytes, or leaves.
  while (EXTENSIONS.has(next) && headerBytes + 2 <= packet.length) {
    next = packet[headerBytes] ?? 0;
    headerBytes += ((packet[headerBytes + 1] ?? 0) + 1) * 8;
  }
  if (next !== TCP) return undefined;
  const [source, destination] = [ipv6(view, 8), ipv6(view, 24)];
  return { source, destination, headerBytes, totalBytes: 40 + view.getUint16(4) };
}

const ipv4 = (bytes: Uint8Array): string => [...bytes].join('.');
/** Not shortened (RFC 5952 would be): only compared with itself. */
const ipv6 = (view: DataView, offset: number): string =>
  Array.from({ length: 8 }, (_, i) => view.getUint16(offset + i * 2).toString(16)).join(':');

/** Kinds of RFC 9293 section 3.1, RFC 7323 and RFC 2018. */
function synOptions(options: Uint8Array): Pick<Segment, 'windowScale' | 'mssBytes' | 'sackPermitted' | 'timestamps'> {
  const found: { windowScale?: number; mssBytes?: number; sackPermitted?: boolean; timestamps?: boolean } = {};
  let at = 0;
  // Ends: each turn moves on by at least one byte.
  while (at < options.length) {
    const kind = options[at] ?? 0;
    const length = options[at + 1] ?? 0;
    if (kind === 0) break;
    if (kind === 1) {
      at += 1;
      continue;
    }
    if (length < 2 || at + length > options.length) break;
    if (kind === 2 && length === 4) found.mssBytes = ((options[at + 2] ?? 0) << 8) | (options[at + 3] ?? 0);
    if (kind === 3 && length === 3) found.windowScale = options[at + 2];
    if (kind === 4) found.sackPermitted = true;
    if (kind === 8) found.timestamps = true;
    at += length;
  }
  return found;
}
