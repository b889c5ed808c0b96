export { type CaptureArgs, captureArgv, LEAD_MS, MOST_PACKETS, refusesCapture, SNAPSHOT_BYTES } from './argv.js';
export { parsePcap } from './pcap.js';
export type { Segment, SegmentsRead } from './segment.js';
export { parseTcpdump } from './text.js';
export { tcpdump } from './version.js';
export { CapturedConnection, type CapturedEnd, connectionsOf } from './windows.js';
