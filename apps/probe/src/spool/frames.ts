import { ExecuteResponse } from '@plumbline/probe-rpc';

/** One event in a file: its length as a 32-bit little-endian number, then its bytes as on the wire. */
export function encodeFrame(event: ExecuteResponse): Buffer {
  const body = ExecuteResponse.encode(event).finish();
  const frame = Buffer.allocUnsafe(4 + body.length);
  frame.writeUInt32LE(body.length, 0);
  frame.set(body, 4);
  return frame;
}

/** A frame larger than this is no frame: the file is damaged there. */
const LARGEST_FRAME = 16 * 1024 * 1024;

/** The whole events at the start of `bytes`, and how many bytes they take. What follows is cut or damaged. */
export function decodeFrames(bytes: Buffer): { events: ExecuteResponse[]; length: number } {
  const events: ExecuteResponse[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const size = bytes.readUInt32LE(at);
    if (size > LARGEST_FRAME || at + 4 + size > bytes.length) break;
    try {
      events.push(ExecuteResponse.decode(bytes.subarray(at + 4, at + 4 + size)));
    } catch {
      break;
    }
    at += 4 + size;
  }
  return { events, length: at };
}
