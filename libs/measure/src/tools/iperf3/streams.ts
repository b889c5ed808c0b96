import type { End, SocketSample } from '@plumbline/model';
import type { AttemptOutput } from '../../ability.js';
import {
  joinSockets,
  type OneWaySpec,
  type SocketSummary,
  summariseStreams,
  type ThroughputResult,
  type ThroughputStream,
  type ThroughputTotal,
} from '../../measurements/throughput/index.js';
import type { Iperf3Document } from './document.js';
import { streamOf } from './stream-ports.js';
import { reconciled, streamIntervals, totalOf, wholeCounter } from './totals.js';

/** The sampled data sockets of both ends: each stream's, and all of an end together. */
export interface SampledSockets {
  readonly sender: SocketSummary | undefined;
  readonly receiver: SocketSummary | undefined;
  readonly each: readonly ThroughputStream['sockets'][];
}

/** @param first the number of the direction's first stream among all that were connected, from 1 on */
export function socketsOf(spec: OneWaySpec, { samples, phases }: AttemptOutput, first = 1): SampledSockets {
  const lists: Record<End, SocketSample[][]> = { near: emptyLists(spec.streams), far: emptyLists(spec.streams) };
  for (const sample of samples) lists[sample.end][(streamOf(sample, phases) ?? 0) - first]?.push(sample);
  const [near, far] = [summariseStreams(lists.near, spec), summariseStreams(lists.far, spec)];
  const [sender, receiver] = spec.direction === 'forward' ? [near, far] : [far, near];
  return {
    sender: joinSockets(sender),
    receiver: joinSockets(receiver),
    each: sender.map((own, i) => ({ sender: own, receiver: receiver[i] })),
  };
}

const emptyLists = (count: number): SocketSample[][] => Array.from({ length: count }, () => []);

/** The congestion control that these sockets ran; where they differ, all of them. Undefined: none of them was seen. */
export function algorithmsOf(sockets: readonly (SocketSummary | undefined)[]): string | undefined {
  const names = new Set(sockets.flatMap((socket) => socket?.congestionControl ?? []));
  return names.size > 0 ? [...names].sort().join(', ') : undefined;
}

/** The client's document, and which of the two is the sender's and the receiver's. */
interface Accounts {
  readonly near: Iperf3Document | undefined;
  readonly sendingDocument: Iperf3Document | undefined;
  readonly receivingDocument: Iperf3Document | undefined;
}

/**
 * Each of several streams; undefined of one. A stream's count is the receiver's, from whichever document the receiver's total
 * was believed in: where that is unknown, a printed zero of a stream is no more than a zero that was never filled in.
 */
export function streamsOf(
  spec: OneWaySpec,
  { near, sendingDocument, receivingDocument }: Accounts,
  receiverTotal: ThroughputTotal | undefined,
  sockets: readonly ThroughputStream['sockets'][],
): ThroughputResult['streams'] {
  if (spec.streams === 1) return undefined;
  const told = (near?.end?.sum_received?.bytes ?? 0) > 0 ? near : receivingDocument;
  return sockets.map((own, i) => {
    const [sent, received] = [near?.end?.streams?.[i]?.sender, told?.end?.streams?.[i]?.receiver];
    const intervals = {
      sender: streamIntervals(sendingDocument, spec.omitS, i),
      receiver: streamIntervals(receivingDocument, spec.omitS, i),
    };
    return {
      stream: i + 1,
      totals: {
        sender: reconciled(totalOf(sent, '', []), intervals.sender, '', []),
        receiver: receiverTotal && reconciled(totalOf(received, '', []), intervals.receiver, '', []),
      },
      retransmits:
        wholeCounter(sent?.retransmits) ?? wholeCounter(sendingDocument?.end?.streams?.[i]?.sender?.retransmits),
      sockets: own,
    };
  });
}
