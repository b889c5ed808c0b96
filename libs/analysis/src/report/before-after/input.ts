import type { Command } from '@plumbline/model';
import type { IpVersion } from '../../theory/framing.js';
import type { RateLayer } from '../../theory/rate-layer.js';

/** A rate at a moment, seconds since the measured part of the test began. */
export interface RatePoint {
  tS: number;
  bps: number;
}
/** A size at a moment, seconds since the measured part of the test began. */
export interface SizePoint {
  tS: number;
  bytes: number;
}

/** What one run (before or after) found. Null means not known; `reasons` then says why, by the field's name. */
export interface SideData {
  runId: string;
  /** RFC 3339. */
  startedAt: string;
  /** TCP payload at the receiver, the omitted part excluded. */
  throughputBps: number | null;
  /** Median round trip of ping, without load. */
  rttP50Ms: number | null;
  /** Mean of the round trips that the sending socket showed during the test. */
  rttLoadedMeanMs: number | null;
  /** The largest window that the receiver advertised, as the sending socket saw it. */
  windowMaxBytes: number | null;
  cwndMaxBytes: number | null;
  retransmits: number | null;
  congestionControl: string | null;
  /** Share (0 to 1) of the sender's busy time spent waiting for the receiver's window. */
  limitedReceiveWindow: number | null;
  /** Share (0 to 1) of the sender's busy time spent waiting for its own send buffer. */
  limitedSendBuffer: number | null;
  throughputSeries: readonly RatePoint[];
  /** The receiver's advertised window on the sender's socket. */
  windowSeries: readonly SizePoint[];
  /** Sent and not yet acknowledged. */
  inFlightSeries: readonly SizePoint[];
  /** Third value of net.ipv4.tcp_rmem on the receiver. */
  tcpRmemMaxBytes: number | null;
  kernel: string | null;
  /** Programs and their versions. */
  tools: Readonly<Record<string, string>>;
  /** The exact command lines, and which end ran them. */
  commands: readonly Pick<Command, 'argv' | 'end'>[];
  reasons: Readonly<Record<string, string>>;
}

export interface ReportedPath {
  name: string;
  committedRateBps?: number;
  /** Where the committed rate is counted. */
  rateLayer: RateLayer;
  expectedRttMs?: number;
  /** Default 1500. */
  mtuBytes?: number;
  /** Default 4. */
  ipVersion?: IpVersion;
}

export interface BeforeAfterInput {
  title: string;
  path: ReportedPath;
  /** The emulated link's own settings, when the path is one of the lab's: it counts IP bytes. */
  lab?: { rateBps: number; rttMs: number };
  /** No path at all: both ends on one host, without namespaces. */
  loopback?: boolean;
  /** RFC 3339. */
  generatedAt: string;
  /** What was done between the runs, in the words of whoever did it. */
  change: string;
  before: SideData;
  after: SideData;
  notes: readonly string[];
}

/** What may be null in a side, and so has a reason. */
export const NULLABLE_FIELDS = [
  'throughputBps',
  'rttP50Ms',
  'rttLoadedMeanMs',
  'windowMaxBytes',
  'cwndMaxBytes',
  'retransmits',
  'congestionControl',
  'limitedReceiveWindow',
  'limitedSendBuffer',
  'tcpRmemMaxBytes',
  'kernel',
] as const satisfies readonly (keyof SideData)[];

/** A side that brought nothing: everything is null for the one reason given. */
export function emptySide(runId: string, startedAt: string, reason: string): SideData {
  return {
    runId,
    startedAt,
    throughputBps: null,
    rttP50Ms: null,
    rttLoadedMeanMs: null,
    windowMaxBytes: null,
    cwndMaxBytes: null,
    retransmits: null,
    congestionControl: null,
    limitedReceiveWindow: null,
    limitedSendBuffer: null,
    throughputSeries: [],
    windowSeries: [],
    inFlightSeries: [],
    tcpRmemMaxBytes: null,
    kernel: null,
    tools: {},
    commands: [],
    reasons: Object.fromEntries(NULLABLE_FIELDS.map((field) => [field, reason])),
  };
}
