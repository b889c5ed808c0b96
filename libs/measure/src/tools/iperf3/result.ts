import type { SocketSample } from '@plumbline/model';
import { type AttemptOutput, BASELINE_PHASE, type PhaseOutput } from '../../ability.js';
import {
  type OneWaySpec,
  payloadRateBps,
  type ThroughputResult,
  type ThroughputSpec,
  type ThroughputTotal,
} from '../../measurements/throughput/index.js';
import { parsePing } from '../ping/parse.js';
import type { Iperf3Document } from './document.js';
import { algorithmsOf, socketsOf, streamsOf } from './streams.js';
import { counter, intervalsOf, positive, reconciled, totalOf, wholeCounter } from './totals.js';
import { iperf3 } from './version.js';

/** The JSON of both ends; the far one is a help, never a must (it can be cut, or wait for its next client). */
export interface Documents {
  readonly near: Iperf3Document | undefined;
  readonly far: Iperf3Document | undefined;
}

/**
 * Joins both ends' accounts. The client's JSON is the record: the server never learns the client's totals (iperf issues
 * 1410, 1908). Who sends is said by the direction, not by "sum_sent": with -R that is the server's sending.
 */
export function resultOf(
  spec: OneWaySpec,
  output: AttemptOutput,
  documents: Documents,
  notes: string[],
  firstStream = 1,
): ThroughputResult {
  const { near, far } = documents;
  const forward = spec.direction === 'forward';
  const [sendingDocument, receivingDocument] = forward ? [near, far] : [far, near];
  const intervals = {
    sender: intervalsOf(sendingDocument, spec.omitS),
    receiver: intervalsOf(receivingDocument, spec.omitS),
  };
  const { each, ...sockets } = socketsOf(spec, output, firstStream);
  const totals = {
    sender: reconciled(
      totalOf(near?.end?.sum_sent, 'sum_sent', notes) ?? ownTotal(sendingDocument, 'sum_sent', near),
      intervals.sender,
      "the sender's total",
      notes,
    ),
    receiver: receiverTotal(documents, receivingDocument, intervals.receiver, output.samples, notes),
  };
  const [connected] = near?.start?.connected ?? [];
  return {
    tool: 'iperf3',
    direction: spec.direction,
    durationS: spec.durationS,
    omitS: spec.omitS,
    versions: { near: versionOf(near), far: versionOf(far) },
    connection: spec.streams === 1 ? connectionOf(connected) : undefined,
    mssBytes: sockets.sender?.mssBytes ?? positive(near?.start?.tcp_mss) ?? positive(near?.start?.tcp_mss_default),
    // What the kernel says of the very sockets comes first, whatever was asked for and whatever iperf3 read of one of them.
    congestionControl: {
      sender: algorithmsOf(each.map(({ sender }) => sender)) ?? near?.end?.sender_tcp_congestion ?? undefined,
      receiver: algorithmsOf(each.map(({ receiver }) => receiver)) ?? near?.end?.receiver_tcp_congestion ?? undefined,
    },
    buffers: { sndBufBytes: positive(near?.start?.sndbuf_actual), rcvBufBytes: positive(near?.start?.rcvbuf_actual) },
    totals,
    intervals,
    retransmits:
      wholeCounter(near?.end?.sum_sent?.retransmits) ?? wholeCounter(sendingDocument?.end?.sum_sent?.retransmits),
    cpu: cpuOf(documents, forward),
    sockets,
    streams: streamsOf(spec, { near, sendingDocument, receivingDocument }, totals.receiver, each),
    baseline: baselineOf(output.phases),
    idealRateBps: idealRateOf(spec, connected?.local_host),
    error: near?.error === undefined ? undefined : errorText(near),
  };
}

/** The error of a document in words; undefined: it has none. */
export function errorText(document: Iperf3Document | undefined): string | undefined {
  if (document?.error === undefined) return undefined;
  return typeof document.error === 'string' ? document.error : JSON.stringify(document.error);
}

const versionOf = (document: Iperf3Document | undefined): string | undefined =>
  iperf3.parseVersion(document?.start?.version ?? '');

type Connected = NonNullable<NonNullable<Iperf3Document['start']>['connected']>[number];
function connectionOf(socket: Connected | undefined): ThroughputResult['connection'] {
  const { local_host, local_port, remote_host, remote_port } = socket ?? {};
  if (!local_host || !remote_host || typeof local_port !== 'number' || typeof remote_port !== 'number')
    return undefined;
  return { localAddress: local_host, localPort: local_port, peerAddress: remote_host, peerPort: remote_port };
}

/** What the end that counted says of itself, where the client did not learn it. */
const ownTotal = (
  own: Iperf3Document | undefined,
  key: 'sum_sent' | 'sum_received',
  record: Iperf3Document | undefined,
): ThroughputTotal | undefined => (own === record ? undefined : totalOf(own?.end?.[key], key, []));

/**
 * The receiver's count. Zero bytes are believed only where the receiver itself shows that it got none: when the control
 * connection is lost, iperf3 prints a zero for what it never learnt (iperf issues 718, 751, 1149).
 */
function receiverTotal(
  { near }: Documents,
  receivingDocument: Iperf3Document | undefined,
  intervals: ThroughputResult['intervals']['receiver'],
  samples: readonly SocketSample[],
  notes: string[],
): ThroughputTotal | undefined {
  const printed = totalOf(near?.end?.sum_received, 'sum_received', notes);
  const own = ownTotal(receivingDocument, 'sum_received', near);
  const total = printed && printed.bytes > 0 ? printed : (own ?? printed);
  if (total?.bytes === 0) {
    const arrived = intervals.some(({ bytes }) => bytes > 0) || samples.some((s) => (s.bytesReceived ?? 0) > 1_000);
    return intervals.length === 0 || arrived ? undefined : total;
  }
  return reconciled(total, intervals, "the receiver's total", notes);
}

/**
 * CPU time of the program by wall-clock time (src/cpu_util.c): of one thread up to 3.15, of all threads since. A server's
 * zero in the client's account means that it was not told.
 */
function cpuOf({ near, far }: Documents, forward: boolean): ThroughputResult['cpu'] {
  const cpu = near?.end?.cpu_utilization_percent;
  const ratio = (percent: number | undefined) => (percent === undefined ? undefined : percent / 100);
  const client = ratio(counter(cpu?.host_total));
  const server = ratio(positive(cpu?.remote_total) ?? positive(far?.end?.cpu_utilization_percent?.host_total));
  return forward ? { sender: client, receiver: server } : { sender: server, receiver: client };
}

function baselineOf(phases: readonly PhaseOutput[]): ThroughputResult['baseline'] {
  const phase = phases.find(({ end, name }) => end === 'near' && name === BASELINE_PHASE);
  const ping = phase && parsePing(phase.stdout);
  if (ping?.sent === undefined) return undefined;
  const rtts = ping.replies.flatMap(({ rttMs }) => rttMs ?? []);
  if (rtts.length === 0) return { sent: ping.sent, received: ping.replies.length };
  const meanMs = rtts.reduce((sum, rtt) => sum + rtt, 0) / rtts.length;
  return { sent: ping.sent, received: ping.replies.length, minMs: rtts.reduce((a, b) => Math.min(a, b)), meanMs };
}

/** RFC 6349 section 4.1.1 leaves TCP options out of the ideal. */
function idealRateOf({ committed }: ThroughputSpec, address: string | null | undefined): number | undefined {
  if (!committed) return undefined;
  const ipVersion = address?.includes(':') ? 6 : 4;
  return payloadRateBps(committed.rateBps, committed.layer, committed.mtuBytes, { ipVersion, timestamps: false });
}
