import { readFile } from 'node:fs/promises';

/** One captured Ethernet frame. */
export interface Captured {
  /** Wall clock; exact to 0.25 us. */
  timeMs: number;
  /** As it was on the wire, though fewer bytes may be kept. */
  frameBytes: number;
  bytes: Buffer;
}

const NANOSECOND_MAGIC = 0xa1b23c4d;
const FILE_HEADER = 24;
const RECORD_HEADER = 16;

/** Reads a capture that tcpdump wrote with nanosecond times on a little-endian machine (pcap-savefile(5)). */
export async function readPcap(file: string): Promise<Captured[]> {
  const data = await readFile(file);
  if (data.readUInt32LE(0) !== NANOSECOND_MAGIC) throw new Error(`${file} is no nanosecond capture`);
  const frames: Captured[] = [];
  // Ends: every round moves forward by at least a record header.
  for (let at = FILE_HEADER; at + RECORD_HEADER <= data.length; ) {
    const kept = data.readUInt32LE(at + 8);
    frames.push({
      timeMs: data.readUInt32LE(at) * 1e3 + data.readUInt32LE(at + 4) / 1e6,
      frameBytes: data.readUInt32LE(at + 12),
      bytes: data.subarray(at + RECORD_HEADER, at + RECORD_HEADER + kept),
    });
    at += RECORD_HEADER + kept;
  }
  return frames;
}

const ETHERNET = 14;
const UDP = 17;
const TCP = 6;

/** Bytes of the IP packet in a frame. */
export const ipBytes = (frame: Captured): number => frame.frameBytes - ETHERNET;

function payloadOf(frame: Captured, protocol: number): Buffer | undefined {
  const ip = frame.bytes.subarray(ETHERNET);
  if (ip.length < 40) return undefined;
  const version = ip.readUInt8(0) >> 4;
  if (version === 4 && ip.readUInt8(9) === protocol) return ip.subarray((ip.readUInt8(0) & 15) * 4);
  if (version === 6 && ip.readUInt8(6) === protocol) return ip.subarray(40);
  return undefined;
}

export interface Numbered {
  sequence: number;
  timeMs: number;
  ipBytes: number;
}

/** The numbered datagrams that udp-sender.mjs sent to `port`, in the order of the capture. */
export function numbered(frames: readonly Captured[], port: number): Numbered[] {
  return frames.flatMap((frame) => {
    const udp = payloadOf(frame, UDP);
    if (!udp || udp.length < 12 || udp.readUInt16BE(2) !== port) return [];
    return [{ sequence: udp.readUInt32BE(8), timeMs: frame.timeMs, ipBytes: ipBytes(frame) }];
  });
}

/** For each TCP SYN or SYN ACK: whether it offers window scaling (option kind 3). */
export function windowScaleOffers(frames: readonly Captured[]): { ack: boolean; scale: boolean }[] {
  return frames.flatMap((frame) => {
    const tcp = payloadOf(frame, TCP);
    if (!tcp || tcp.length < 20 || !(tcp.readUInt8(13) & 2)) return [];
    return [{ ack: (tcp.readUInt8(13) & 16) !== 0, scale: optionKinds(tcp).includes(3) }];
  });
}

function optionKinds(tcp: Buffer): number[] {
  const end = Math.min((tcp.readUInt8(12) >> 4) * 4, tcp.length);
  const kinds: number[] = [];
  // Ends: every round moves forward inside the header.
  for (let at = 20; at < end; ) {
    const kind = tcp.readUInt8(at);
    kinds.push(kind);
    at += kind <= 1 || at + 1 >= end ? 1 : Math.max(tcp.readUInt8(at + 1), 2);
  }
  return kinds;
}
