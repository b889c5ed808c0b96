import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import { lossOf, type UdpLoadResult, type UdpLoadSpec, udpLoadMetricsOf } from '../../measurements/udp-load/index.js';
import { type DocumentRead, type Iperf3Document, readDocument } from './document.js';
import { readUdpDocument } from './udp-document.js';
import { udpEndingOf } from './udp-ending.js';
import { udpHostRemarks } from './udp-remarks.js';
import { udpResultOf } from './udp-result.js';

/** Offered may fall short of what was asked for by this much before it is said. */
const SHORTFALL = 0.02;

/** Reads what a UDP load left behind, from both ends. Never throws. */
export function readUdp(spec: UdpLoadSpec, output: AttemptOutput): Reading {
  const client = phaseOf(output, 'near', 'test');
  const server = phaseOf(output, 'far', 'server');
  const nearRead = client && readDocument(client.stdout);
  const farRead = server && readDocument(server.stdout);
  const notes = [...(nearRead?.notes ?? []), ...(farRead?.notes ?? []).map((note) => `server: ${note}`)];
  const documents = {
    near: documentOf(nearRead),
    far: documentOf(farRead),
    nearUdp: client && readUdpDocument(client.stdout),
    farUdp: server && readUdpDocument(server.stdout),
  };
  const result = documents.near && udpResultOf(spec, documents, notes);
  const { nearUdp: udp, far, farUdp } = documents;
  const evidence = { seen: output.ending, client, read: nearRead, udp, far, farUdp, result };
  const ending = udpEndingOf(spec, evidence);
  const metrics = udpLoadMetricsOf(result, ending);
  const said = result ? [...remarks(spec, result), ...udpHostRemarks(spec, output, result)] : [];
  return { ending, metrics, result: result ?? null, notes: [...notes, ...said] };
}

const phaseOf = (output: AttemptOutput, end: PhaseOutput['end'], name: string): PhaseOutput | undefined =>
  output.phases.find((phase) => phase.end === end && phase.name === name);

const documentOf = (read: DocumentRead | undefined): Iperf3Document | undefined =>
  read && 'document' in read ? read.document : undefined;

/** What a reader of the numbers must know. */
function remarks(spec: UdpLoadSpec, result: UdpLoadResult): string[] {
  const remarks: string[] = [];
  const { sent, received } = result;
  const offeredBps = sent && (sent.bytes * 8) / sent.durationS;
  if (offeredBps !== undefined && offeredBps < spec.rateBps * (1 - SHORTFALL))
    remarks.push(`the sender offered ${offeredBps.toFixed(0)} bit/s of the ${spec.rateBps} asked for: it is its limit`);
  if ((received?.lost ?? 0) < 0)
    remarks.push('more late datagrams than lost ones: reordering or duplicates, not shown as loss');
  const loss = lossOf(result);
  if (loss?.silent && loss.ratio < 1) remarks.push('nothing arrived at the end: what was sent then counts as lost');
  else if (loss && loss.underway > 0)
    remarks.push(`${loss.underway} datagrams were still on their way when the test ended: not counted as lost`);
  return remarks;
}
