export {
  CAPTURE_PHASE,
  type CaptureArgs,
  captureArgv,
  capturePhase,
  GRACE_MS,
  LEAD_MS,
  MOST_PACKETS,
  snapshotBytes,
} from './argv.js';
export { captureMetrics } from './metrics.js';
export { parsePcap } from './pcap.js';
export { EndCapture, readCapture } from './read.js';
export type { Segment, SegmentsRead } from './segment.js';
export { parseTcpdump } from './text.js';
export { tcpdump } from './version.js';
export { CapturedConnection, type CapturedEnd, connectionsOf } from './windows.js';
export { withCapture } from './with-capture.js';
