import type { CounterMovement, HostSnapshot, Labels, Path } from '@plumbline/model';

export type FlowDirection = 'forward' | 'reverse' | 'simultaneous';

/** One end's data sockets over the counted part of a test (the omitted start left out). Absent: not seen. Times ms, sizes B. */
export interface SocketFacts {
  readonly sockets: number;
  readonly samples: number;
  readonly mssBytes?: number;
  readonly rttMeanMs?: number;
  /** Smallest of the kernel's own minimum (minrtt) and of the readings. */
  readonly rttMinMs?: number;
  readonly rttMaxMs?: number;
  /** Of the congestion window of the widest socket. */
  readonly cwndMeanBytes?: number;
  readonly cwndMinBytes?: number;
  readonly cwndMaxBytes?: number;
  /** unacked x MSS: what was really in flight. */
  readonly inFlightMeanBytes?: number;
  readonly inFlightMaxBytes?: number;
  /** The peer's advertised window as this sender saw it. */
  readonly sndWndMaxBytes?: number;
  readonly sndWndMeanBytes?: number;
  readonly rcvWndMaxBytes?: number;
  readonly sndBufMaxBytes?: number;
  readonly rcvBufMaxBytes?: number;
  /** Shifts of the window-scale option; null: the socket was seen and the option was not negotiated. */
  readonly sndWscale?: number | null;
  readonly rcvWscale?: number | null;
  /** How far these clocks of the kernel moved (tcp_info): what the sender waited for while it was busy. */
  readonly busyMs?: number;
  readonly rwndLimitedMs?: number;
  readonly sndbufLimitedMs?: number;
  /** Share of the readings in which the kernel called the flow limited by its application. */
  readonly appLimitedRatio?: number;
  readonly deliveryMaxBps?: number;
  readonly pacingMeanBps?: number;
  readonly segmentsRetransmitted?: number;
  readonly bytesRetransmitted?: number;
  readonly bytesSent?: number;
  readonly dsackDuplicates?: number;
  readonly reorderingSeen?: number;
}

/** A rate over a part of the test, from the receiver's or the sender's sockets. */
export interface RatePoint {
  readonly atS: number;
  readonly bps: number;
  readonly rttMs?: number;
}

/** One throughput attempt in one direction: the representative of its repeats (the one of median throughput). */
export interface FlowFacts {
  readonly step: number;
  readonly kind: string;
  readonly attempt: number;
  /** Of the attempt's cell and the flow: direction, algorithm, windowBytes, streams. */
  readonly labels: Labels;
  readonly direction: FlowDirection;
  readonly streams: number;
  /** At the receiver, payload, omitted part excluded. */
  readonly throughputBps?: number;
  readonly streamsBps?: readonly number[];
  /** Counted part, and what was left out before it. */
  readonly durationS?: number;
  readonly omitS?: number;
  /** What was asked for; absent: the host's own. */
  readonly asked: {
    readonly windowBytes?: number;
    readonly congestionControl?: string;
    readonly rateBps?: number;
    readonly mssBytes?: number;
  };
  /** What the sender really ran. */
  readonly congestionControl?: string;
  readonly sender?: SocketFacts;
  readonly receiver?: SocketFacts;
  /** Echoes over the idle path, just before. */
  readonly baselineRttMs?: number;
  /** Retransmitted / sent segments in the counted part: what this very flow met (an upper bound of loss where there is reordering). */
  readonly retransmitRatio?: number;
  readonly retransmits?: number;
  /** CPU time of the tool, of one core. */
  readonly senderCpuRatio?: number;
  readonly receiverCpuRatio?: number;
  /** Thinned to what the readings carry, the omitted start included (atS counts from the first byte). */
  readonly series: readonly RatePoint[];
  readonly hosts: { readonly sender?: HostFacts; readonly receiver?: HostFacts };
}

/** One end's host around the attempt. */
export interface HostFacts {
  readonly snapshot?: HostSnapshot;
  readonly moved?: CounterMovement;
}

/** One step of a UDP load. */
export interface UdpStepFacts {
  readonly step: number;
  readonly attempt: number;
  readonly direction: FlowDirection;
  readonly offeredBps: number;
  readonly deliveredBps?: number;
  /** Without the first moments, when a bucket may still be full. */
  readonly deliveredSteadyBps?: number;
  readonly lossRatio?: number;
  readonly jitterMs?: number;
  readonly reorderedPackets?: number;
  readonly payloadBytes?: number;
  readonly hosts: { readonly sender?: HostFacts; readonly receiver?: HostFacts };
}

export interface UdpFacts {
  readonly step: number;
  readonly direction: FlowDirection;
  readonly steps: readonly UdpStepFacts[];
  readonly highestCleanBps?: number;
  readonly bottleneckBps?: number;
}

export interface RttFacts {
  readonly step: number;
  readonly attempt: number;
  readonly minMs?: number;
  readonly meanMs?: number;
  readonly p50Ms?: number;
  readonly p95Ms?: number;
  readonly maxMs?: number;
  readonly lossRatio?: number;
  readonly jitterMs?: number;
}

export interface TransactionFacts {
  readonly step: number;
  readonly attempt: number;
  readonly labels: Labels;
  readonly perSecond?: number;
  readonly latencyMeanMs?: number;
  readonly latencyIdleMs?: number;
  readonly baselineRttMs?: number;
  readonly requestBytes?: number;
  readonly replyBytes?: number;
  readonly underLoad: boolean;
}

export interface PathMtuFacts {
  readonly step: number;
  readonly attempt: number;
  readonly direction: FlowDirection;
  readonly pathMtuBytes?: number;
  /** Larger packets vanish and nobody says so. */
  readonly blackHole?: boolean;
  /** The MTU of the interface that sends, or the contract's. */
  readonly expectedBytes?: number;
}

/** What all tests of a leg say, sorted by what they are about. Rules read this and nothing else. */
export interface LegFacts {
  readonly path: Path;
  readonly flows: readonly FlowFacts[];
  readonly udp: readonly UdpFacts[];
  readonly rtts: readonly RttFacts[];
  readonly transactions: readonly TransactionFacts[];
  readonly pathMtus: readonly PathMtuFacts[];
}
