import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import {
  endsOf,
  isEfficiencyEstimated,
  type ThroughputResult,
  type ThroughputSpec,
  throughputMetricsOf,
} from '../../measurements/throughput/index.js';
import { type DocumentRead, type Iperf3Document, readDocument } from './document.js';
import { endingOf } from './ending.js';
import { cpuRemarks, windowRemarks } from './host-remarks.js';
import { rateRemarks } from './rate-remarks.js';
import { resultOf } from './result.js';

/** Reads what a throughput attempt left behind, from both ends. Never throws. */
export function read(spec: ThroughputSpec, output: AttemptOutput): Reading {
  const client = phaseOf(output, 'near', 'test');
  const server = phaseOf(output, 'far', 'server');
  const nearRead = client && readDocument(client.stdout);
  const farRead = server && readDocument(server.stdout);
  const documents = { near: documentOf(nearRead), far: documentOf(farRead) };
  const notes = [...(nearRead?.notes ?? []), ...(farRead?.notes ?? []).map((note) => `server: ${note}`)];
  // What the kernel said of the sockets is known also where iperf3 was stopped before it printed its document.
  const sampled = output.ending.outcome === 'partial' && output.samples.length > 0;
  const result = documents.near || sampled ? resultOf(spec, output, documents, notes) : undefined;
  const ending = endingOf(spec, { output, client, read: nearRead, documents, result });
  const metrics = throughputMetricsOf(result, ending, spec.streams);
  const notesOfAll = [...notes, ...remarks(spec, documents.near, result)];
  return { ending, metrics, result: result ? { ...result, ends: endsOf(result, metrics) } : null, notes: notesOfAll };
}

const phaseOf = (output: AttemptOutput, end: PhaseOutput['end'], name: string): PhaseOutput | undefined =>
  output.phases.find((phase) => phase.end === end && phase.name === name);

const documentOf = (read: DocumentRead | undefined): Iperf3Document | undefined =>
  read && 'document' in read ? read.document : undefined;

/** What a reader of the numbers must know. */
function remarks(
  spec: ThroughputSpec,
  document: Iperf3Document | undefined,
  result: ThroughputResult | undefined,
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
  remarks.push(...cpuRemarks(accounts, spec.streams, spec.rateBps !== undefined));
  return [...remarks, ...rateRemarks(spec, result), ...windowRemarks(spec.windowBytes, result.buffers.sndBufBytes)];
}
