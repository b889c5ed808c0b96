import type { BesidePhase } from '../../ability.js';

/** What is captured: one end's view of the test's own connections. */
export interface CaptureArgs {
  /** Absent: all interfaces. */
  readonly interface?: string;
  readonly peerAddress: string;
  readonly port: number;
}

export const CAPTURE_PHASE = 'capture';
/** With what a record adds (16 bytes) this many headers are 5.5 MB at most. */
export const MOST_PACKETS = 50_000;
/** tcpdump needs this long until it listens, so that the handshake is not missed; it says so before, as a rule. */
export const LEAD_MS = 1_000;
/** The last segments and the end of the connection come after the test's program has ended. */
export const GRACE_MS = 200;
/** Ends by itself at its packets; else it is ended with its test. */
const MARGIN_MS = 10_000;

/**
 * Bytes that are kept of a packet: what precedes IP on that link (Ethernet, or the 20 bytes of Linux' cooked header), and the
 * longest IP and TCP headers. Of a segment without options the rest is at most 20 bytes of what the tool fills it with.
 */
export const snapshotBytes = ({ interface: device, peerAddress }: CaptureArgs): number =>
  (device === undefined ? 20 : 14) + (peerAddress.includes(':') ? 40 : 20) + 60;

/** Headers only, as many packets as fit. Stays root where it is root: the attempt's folder is root's alone. */
export const captureArgv = (args: CaptureArgs): string[] => [
  ...['tcpdump', '-n', '-p', '-U', '-s', String(snapshotBytes(args)), '-c', String(MOST_PACKETS), '-Z', 'root'],
  ...['-i', args.interface ?? 'any', '-w', '{capture}'],
  `host ${args.peerAddress} and tcp port ${args.port}`,
];

/**
 * Beside a test of that longest duration. Optional: without tcpdump, or without the right to capture, the test goes on, and
 * what tcpdump said is the reason why there is no capture.
 */
export const capturePhase = (args: CaptureArgs, longestMs: number): BesidePhase => ({
  name: CAPTURE_PHASE,
  tool: 'tcpdump',
  argv: captureArgv(args),
  timeoutMs: longestMs + LEAD_MS + MARGIN_MS,
  optional: true,
  capture: true,
  beside: { leadMs: LEAD_MS, readyText: 'listening on', graceMs: GRACE_MS },
});
