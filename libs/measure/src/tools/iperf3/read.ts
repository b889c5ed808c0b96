import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import {
  endsOf,
  isEfficiencyEstimated,
  type OneWaySpec,
  rfc6349Remarks,
  type ThroughputResult,
  type ThroughputSpec,
  throughputMetricsOf,
} from '../../measurements/throughput/index.js';
import { type DocumentRead, type Iperf3Document, readDocument } from './document.js';
import { endingOf } from './ending.js';
import { cpuRemarks, windowRemarks } from './host-remarks.js';
import { oneWayOf } from './one-way.js';
import { rateRemarks } from './rate-remarks.js';
import { type Documents, resultOf } from './result.js';

/** Reads what a throughput attempt left behind, from both ends. Never throws. */
export function read(spec: ThroughputSpec, output: AttemptOutput): Reading {
  const [client, server] = [phaseOf(output, 'near', 'test'), phaseOf(output, 'far', 'server')];
  const nearRead = client && readDocument(client.stdout);
  const farRead = server && readDocument(server.stdout);
  const programs = { client, nearRead, near: documentOf(nearRead), far: documentOf(farRead) };
  const notes = [...(nearRead?.notes ?? []), ...(farRead?.notes ?? []).map((note) => `server: ${note}`)];
  const reading =
    spec.direction === 'simultaneous'
      ? readBothWays(spec, output, programs)
      : readOneWay({ ...spec, direction: spec.direction }, output, programs);
  return { ...reading, notes: [...notes, ...reading.notes] };
}

/** What both ends' programs printed. */
interface Programs extends Documents {
  readonly client: PhaseOutput | undefined;
  readonly nearRead: DocumentRead | undefined;
}
interface OneWayReading extends Reading {
  readonly result: ThroughputResult | null;
}

/**
 * @param firstStream the number of this direction's first stream among all, from 1 on
 * @param ways in how many directions data travelled at once
 */
function readOneWay(
  spec: OneWaySpec,
  output: AttemptOutput,
  programs: Programs,
  firstStream = 1,
  ways = 1,
): OneWayReading {
  const { client, nearRead, ...documents } = programs;
  const notes: string[] = [];
  // What the kernel said of the sockets is known also where iperf3 was stopped before it printed its document.
  const sampled = output.ending.outcome === 'partial' && output.samples.length > 0;
  const result = documents.near || sampled ? resultOf(spec, output, documents, notes, firstStream) : undefined;
  const ending = endingOf(spec, { output, client, read: nearRead, documents, result });
  const metrics = throughputMetricsOf(result, ending, spec.streams);
  return {
    ending,
    metrics,
    result: result ? { ...result, ends: endsOf(result, metrics) } : null,
    notes: [...notes, ...remarks(spec, documents.near, result, ways), ...rfc6349Remarks(result, metrics)],
  };
}

/** Both directions of --bidir, each as a test by itself, its metrics labelled. The attempt ended as the worse of them. */
function readBothWays(spec: ThroughputSpec, output: AttemptOutput, programs: Programs): Reading {
  const ways = (['forward', 'reverse'] as const).map((direction) => {
    const oneWay = { ...spec, direction };
    const pick = (document: Iperf3Document | undefined) => document && oneWayOf(document, oneWay);
    const near = pick(programs.near);
    const nearRead = near && programs.nearRead ? { ...programs.nearRead, document: near } : programs.nearRead;
    const own = { client: programs.client, nearRead, near, far: pick(programs.far) };
    return { direction, ...readOneWay(oneWay, output, own, direction === 'forward' ? 1 : spec.streams + 1, 2) };
  });
  const failed = ways.map(({ ending }) => ending).filter((ending) => ending.outcome !== 'completed');
  const ending = failed.find((one) => one.outcome !== 'partial') ?? failed[0] ?? { outcome: 'completed' as const };
  return {
    ending,
    metrics: ways.flatMap(({ direction, result }) =>
      throughputMetricsOf(result ?? undefined, ending, spec.streams).map((metric) => ({
        ...metric,
        labels: { direction, ...metric.labels },
      })),
    ),
    result: {
      ways: ways.map(({ result }) => result),
      ends: ways.flatMap(({ direction, result }) => (result?.ends ?? []).map((end) => ({ ...end, direction }))),
    },
    notes: [...new Set(ways.flatMap(({ notes }) => notes))],
  };
}

const phaseOf = (output: AttemptOutput, end: PhaseOutput['end'], name: string): PhaseOutput | undefined =>
  output.phases.find((phase) => phase.end === end && phase.name === name);

const documentOf = (read: DocumentRead | undefined): Iperf3Document | undefined =>
  read && 'document' in read ? read.document : undefined;

/** What a reader of the numbers must know. */
function remarks(
  spec: OneWaySpec,
  document: Iperf3Document | undefined,
  result: ThroughputResult | undefined,
  ways: number,
): string[] {
  if (!result) return [];
  const remarks: string[] = [];
  const { duration, omit } = document?.start?.test_start ?? {};
  if ((duration ?? spec.durationS) !== spec.durationS || (omit ?? spec.omitS) !== spec.omitS)
    remarks.push(
      `iperf3 says that it ran ${duration} s and left out ${omit} s, not ${spec.durationS} and ${spec.omitS}`,
    );
  if (isEfficiencyEstimated(result) && result.retransmits)
    remarks.push('efficiency is an estimate: retransmitted segments times MSS');
  const { receiver } = result.congestionControl;
  if (spec.congestionControl !== undefined && receiver !== undefined && receiver !== spec.congestionControl)
    remarks.push(
      `the receiver ran ${receiver}, not ${spec.congestionControl}: only the sender's decides how fast it sends`,
    );
  const [near, far] =
    spec.direction === 'forward' ? [result.cpu.sender, result.cpu.receiver] : [result.cpu.receiver, result.cpu.sender];
  const accounts = [
    { end: 'near', version: result.versions.near, share: near },
    { end: 'far', version: result.versions.far, share: far },
  ] as const;
  // A program that sends and receives at once has a thread for each stream of either way.
  const threads = spec.streams * ways;
  remarks.push(...cpuRemarks(accounts, threads, spec.rateBps !== undefined));
  return [...remarks, ...rateRemarks(spec, result), ...windowRemarks(spec.windowBytes, result.buffers.sndBufBytes)];
}
