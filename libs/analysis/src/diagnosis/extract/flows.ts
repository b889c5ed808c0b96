import type { End, EndAccount, Labels, SocketSample } from '@plumbline/model';
import type { AttemptEvidence, StepEvidence } from '../evidence.js';
import type { FlowDirection, FlowFacts, HostFacts, SocketFacts } from '../facts.js';
import { ratioOf } from '../numbers.js';
import { type Asked, askedOf } from './asked.js';
import { seriesOf } from './series.js';
import { socketFactsOf, spanOf } from './sockets.js';
import { cellKey, groupedBy, metricValueOf, representativeOf, streamValuesOf, withoutRepeat } from './values.js';

type OneWay = 'forward' | 'reverse';

/** The flows of a step: of each cell the representative repeat, both of its directions where data went both ways at once. */
export function flowsOf(step: StepEvidence): FlowFacts[] {
  const transfers = step.attempts.filter(({ measurement }) => measurement === 'throughput');
  return groupedBy(transfers, cellKey).flatMap((repeats) => {
    const attempt = representativeOf(
      repeats.filter(({ outcome }) => outcome !== 'refused'),
      throughputOf,
    );
    return attempt ? flowsOfAttempt(step, attempt) : [];
  });
}

/** Of an attempt both ways at once: what both got together. */
function throughputOf(attempt: AttemptEvidence): number | undefined {
  const own = attempt.metrics.filter(
    ({ name, labels, value }) => name === 'throughput' && !labels?.stream && value !== null,
  );
  return own.length > 0 ? own.reduce((sum, { value }) => sum + (value ?? 0), 0) : undefined;
}

function flowsOfAttempt(step: StepEvidence, attempt: AttemptEvidence): FlowFacts[] {
  const asked = askedOf(attempt.spec);
  if (asked.direction === 'simultaneous')
    return (['forward', 'reverse'] as const).map((way) => flowOf(step, attempt, asked, way, 'simultaneous'));
  const told = attempt.cell.direction ?? asked.direction;
  const way: OneWay = told === 'reverse' ? 'reverse' : 'forward';
  return [flowOf(step, attempt, asked, way, way)];
}

function flowOf(
  step: StepEvidence,
  attempt: AttemptEvidence,
  asked: Asked,
  way: OneWay,
  direction: FlowDirection,
): FlowFacts {
  const both = direction === 'simultaneous';
  const [sending, receiving] = endsOf(attempt, asked, way, both);
  const account = (role: EndAccount['role']): EndAccount | undefined =>
    attempt.ends.find((end) => end.role === role && (!both || end.direction === way));
  const metric = (name: string): number | undefined => metricValueOf(attempt.metrics, name, both ? way : undefined);
  const sender = readingsOf(attempt, sending, both ? 'sender' : undefined, asked);
  const receiver = readingsOf(attempt, receiving, both ? 'receiver' : undefined, asked);
  const throughputBps = metric('throughput');
  const retransmits = metric('retransmits') ?? sender.facts?.segmentsRetransmitted;
  const streams = asked.streams ?? Number(attempt.cell.streams ?? 1);
  const each = streamValuesOf(attempt.metrics, 'throughput', both ? way : undefined);
  return {
    step: step.index,
    kind: step.kind,
    attempt: attempt.n,
    outcome: attempt.outcome,
    labels: labelsOf(attempt.cell, both ? way : undefined),
    direction,
    streams: Number.isFinite(streams) && streams >= 1 ? streams : 1,
    throughputBps,
    streamsBps: each.length > 0 ? each : undefined,
    durationS: asked.durationS,
    omitS: asked.omitS ?? 0,
    asked: {
      windowBytes: asked.windowBytes,
      congestionControl: asked.congestionControl,
      rateBps: asked.rateBps,
      mssBytes: asked.mssBytes,
    },
    congestionControl: account('sender')?.congestionControl ?? sender.samples.at(-1)?.congestionControl,
    sender: sender.facts ?? fromAccount(account('sender'), metric),
    receiver: receiver.facts ?? fromAccount(account('receiver')),
    baselineRttMs: metric('rtt.baseline'),
    retransmitRatio: lossOf(sender.facts, retransmits, throughputBps, asked.durationS),
    retransmits,
    senderCpuRatio: metric('cpu.sender') ?? account('sender')?.cpuRatio,
    receiverCpuRatio: metric('cpu.receiver') ?? account('receiver')?.cpuRatio,
    series: sender.samples.some((s) => s.bytesAcked !== undefined)
      ? seriesOf(sender.samples, 'bytesAcked')
      : seriesOf(receiver.samples, 'bytesReceived'),
    hosts: { sender: hostOf(attempt, sending), receiver: hostOf(attempt, receiving) },
  };
}

const labelsOf = (cell: Labels, way: OneWay | undefined): Labels =>
  way === undefined ? withoutRepeat(cell) : { ...withoutRepeat(cell), direction: way };

/** Which end sends and which receives. What the ends say of themselves comes first: the near end is the one that started it. */
function endsOf(attempt: AttemptEvidence, asked: Asked, way: OneWay, both: boolean): readonly [End, End] {
  const sender = attempt.ends.find(({ role, direction }) => role === 'sender' && (!both || direction === way));
  const told = both ? way : (asked.direction ?? way);
  const sending =
    sender?.end ??
    ((told === 'forward') !== (attempt.startsAt === 'far' && asked.direction === undefined) ? 'near' : 'far');
  return [sending, sending === 'near' ? 'far' : 'near'];
}

interface Readings {
  readonly samples: readonly SocketSample[];
  readonly facts?: SocketFacts;
}

/** The readings of one end; of data that goes both ways, only the sockets that mostly send, or mostly receive. */
function readingsOf(attempt: AttemptEvidence, end: End, role: EndAccount['role'] | undefined, asked: Asked): Readings {
  const own = attempt.samples.filter((sample) => sample.end === end).sort((a, b) => a.elapsedMs - b.elapsedMs);
  const samples = role
    ? groupedBy(own, portOf)
        .filter((socket) => mostly(socket) === role)
        .flat()
        .sort((a, b) => a.elapsedMs - b.elapsedMs)
    : own;
  const span = spanOf(samples, asked.omitS ?? 0, asked.durationS);
  return { samples, facts: span && socketFactsOf(samples, span) };
}

const portOf = ({ localPort, peerPort }: SocketSample): string => `${localPort} ${peerPort}`;
const mostly = (socket: readonly SocketSample[]): EndAccount['role'] => {
  const last = socket.at(-1);
  return (last?.bytesSent ?? last?.bytesAcked ?? 0) >= (last?.bytesReceived ?? 0) ? 'sender' : 'receiver';
};

/** Where samples were not kept: what the ends' account and the metrics hold. */
function fromAccount(
  account: EndAccount | undefined,
  metric?: (name: string) => number | undefined,
): SocketFacts | undefined {
  const told = account?.sockets;
  const rttMeanMs = told?.rttMeanMs ?? metric?.('rtt.mean');
  const sndWndMaxBytes = told?.sndWndMaxBytes ?? metric?.('window.max');
  if (!told && rttMeanMs === undefined && sndWndMaxBytes === undefined) return undefined;
  const { count = 1, ...rest } = told ?? {};
  return {
    samples: 0,
    ...rest,
    sockets: count,
    rttMeanMs,
    sndWndMaxBytes,
    cwndMaxBytes: told?.cwndMaxBytes ?? metric?.('cwnd.max'),
    rttMinMs: metric?.('rtt.min'),
    rttMaxMs: metric?.('rtt.max'),
    ...shares(metric),
  };
}

/** Shares of busy time as clocks of a busy second: only their ratio is used. */
function shares(metric: ((name: string) => number | undefined) | undefined): Partial<SocketFacts> {
  const [window, buffer] = [metric?.('limited.receive-window'), metric?.('limited.send-buffer')];
  if (window === undefined && buffer === undefined) return {};
  const ms = (share: number | undefined) => (share === undefined ? undefined : share * 1000);
  return { busyMs: 1000, rwndLimitedMs: ms(window), sndbufLimitedMs: ms(buffer) };
}

/** Retransmitted by sent segments: of the kernel's own bytes, else estimated from what arrived. */
function lossOf(
  sender: SocketFacts | undefined,
  retransmits: number | undefined,
  throughputBps: number | undefined,
  durationS: number | undefined,
): number | undefined {
  const mss = sender?.mssBytes;
  const exact = ratioOf(sender?.bytesRetransmitted, sender?.bytesSent);
  if (exact !== undefined) return Math.min(1, exact);
  const sent = ratioOf(sender?.bytesSent, mss) ?? ratioOf(((throughputBps ?? 0) / 8) * (durationS ?? 0), mss ?? 1448);
  const loss = ratioOf(retransmits, sent);
  return loss === undefined ? undefined : Math.min(1, loss);
}

function hostOf(attempt: AttemptEvidence, end: End): HostFacts | undefined {
  const pair = attempt.snapshots[end];
  const [snapshot, moved] = [pair?.after ?? pair?.before, attempt.counters[end]];
  return snapshot || moved ? { snapshot, moved } : undefined;
}

export { hostOf };
