import type { Segment, SegmentsRead } from './segment.js';
import { readTcp } from './tcp-header.js';

/** Magic numbers of the classic format, by byte order and unit of time (pcap-savefile(5)). */
const MAGIC: Readonly<Record<string, { readonly little: boolean; readonly perSecond: number }>> = {
  a1b2c3d4: { little: false, perSecond: 1e6 },
  d4c3b2a1: { little: true, perSecond: 1e6 },
  a1b23c4d: { little: false, perSecond: 1e9 },
  '4d3cb2a1': { little: true, perSecond: 1e9 },
};
const FILE_HEADER_BYTES = 24;
const RECORD_HEADER_BYTES = 16;
/** tcpdump never keeps more of a packet (MAXIMUM_SNAPLEN): a larger number is a broken file. */
const LARGEST_RECORD_BYTES = 262_144;

const ETHERTYPE_IP = 0x0800;
const ETHERTYPE_IP6 = 0x86dd;
const VLAN_TAGS = new Set([0x8100, 0x88a8, 0x9100]);

/** Reads the TCP segments of a capture file (classic pcap, cut anywhere). Never throws; what is no TCP over IP is left out. */
export function parsePcap(bytes: Uint8Array): SegmentsRead {
  if (bytes.length === 0) return { problem: 'output-empty', notes: [] };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = bytes.length < FILE_HEADER_BYTES ? undefined : MAGIC[view.getUint32(0).toString(16).padStart(8, '0')];
  if (!format) return { problem: 'output-unreadable', notes: ['the capture is no pcap file'] };
  const { little, perSecond } = format;
  const linkType = view.getUint32(20, little) & 0xffff;
  const segments: Segment[] = [];
  const notes = new Set<string>();
  let offset = FILE_HEADER_BYTES;
  // Ends: each turn goes on by at least a record's header.
  while (offset + RECORD_HEADER_BYTES <= bytes.length) {
    const capturedBytes = view.getUint32(offset + 8, little);
    const start = offset + RECORD_HEADER_BYTES;
    if (capturedBytes > LARGEST_RECORD_BYTES || start + capturedBytes > bytes.length) break;
    const atS = view.getUint32(offset, little) + view.getUint32(offset + 4, little) / perSecond;
    const packet = networkLayer(bytes.subarray(start, start + capturedBytes), linkType);
    if (packet === 'unknown-link') notes.add(`link type ${linkType} is not understood`);
    const segment = packet instanceof Uint8Array ? readTcp(packet, atS) : undefined;
    if (segment) segments.push(segment);
    offset = start + capturedBytes;
  }
  if (offset !== bytes.length) notes.add('the capture is cut off');
  return { segments, notes: [...notes] };
}

/** The IP packet in a frame; undefined: another protocol. Link types of tcpdump's manual: Ethernet, raw IP, Linux cooked. */
function networkLayer(frame: Uint8Array, linkType: number): Uint8Array | 'unknown-link' | undefined {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const typeAt = (offset: number): number => (frame.length >= offset + 2 ? view.getUint16(offset) : 0);
  const isIp = (type: number): boolean => type === ETHERTYPE_IP || type === ETHERTYPE_IP6;
  if (linkType === 1) {
    let at = 12;
    // Ends: a frame has finitely many tags, and each moves on.
    while (VLAN_TAGS.has(typeAt(at))) at += 4;
    return isIp(typeAt(at)) ? frame.subarray(at + 2) : undefined;
  }
  if (linkType === 12 || linkType === 14 || linkType === 101) return frame;
  if (linkType === 113) return isIp(typeAt(14)) ? frame.subarray(16) : undefined;
  if (linkType === 276) return isIp(typeAt(0)) ? frame.subarray(20) : undefined;
  return 'unknown-link';
}
