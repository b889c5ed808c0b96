import type { UdpLoadInterval, UdpLoadResult, UdpLoadSpec } from '../../measurements/udp-load/index.js';
import type { Iperf3Document } from './document.js';
import { errorText } from './result.js';
import { counter, positive, wholeCounter } from './totals.js';
import type { UdpDocument, UdpSum } from './udp-document.js';
import { iperf3 } from './version.js';

/** Both ends' documents: what every test has, and what UDP has beside it. */
export interface UdpDocuments {
  readonly near: Iperf3Document | undefined;
  readonly far: Iperf3Document | undefined;
  readonly nearUdp: UdpDocument | undefined;
  readonly farUdp: UdpDocument | undefined;
}

/**
 * Joins both ends' accounts. Sent is what the sender sent; delivered, loss and jitter are the receiver's: `sum_sent` has
 * zeros for those by construction, and the legacy `sum` mixes both (iperf issues 584, 754, 1174).
 */
export function udpResultOf(spec: UdpLoadSpec, documents: UdpDocuments, notes: string[]): UdpLoadResult {
  const { near, far, nearUdp, farUdp } = documents;
  const receiving = spec.direction === 'forward' ? farUdp : nearUdp;
  const intervals = intervalsOf(receiving);
  const sent = sentOf(nearUdp);
  return {
    tool: 'iperf3',
    direction: spec.direction,
    durationS: spec.durationS,
    streams: spec.streams,
    payloadBytes: spec.payloadBytes,
    askedRateBps: spec.rateBps,
    versions: { near: versionOf(near), far: versionOf(far) },
    sent,
    received: receivedOf(nearUdp, receiving, intervals, sent, notes),
    reordered: reorderedOf(receiving),
    intervals,
    cpu: cpuOf(near, far, spec.direction === 'forward'),
    error: errorText(near),
  };
}

const versionOf = (document: Iperf3Document | undefined): string | undefined =>
  iperf3.parseVersion(document?.start?.version ?? '');

function sentOf(near: UdpDocument | undefined): UdpLoadResult['sent'] {
  const own = near?.end?.sum_sent;
  // Before 3.11: the legacy sum has the sent bytes, and the streams the sender's seconds.
  const sum = own ?? near?.end?.sum;
  const durationS = positive(own?.seconds) ?? positive(near?.end?.streams?.[0]?.udp?.seconds) ?? positive(sum?.seconds);
  const bytes = positive(sum?.bytes);
  return bytes === undefined || durationS === undefined
    ? undefined
    : { bytes, durationS, packets: counter(sum?.packets) };
}

/** The client's account of the receiver; before 3.11 the receiver's own intervals; else what rate and loss imply. */
function receivedOf(
  near: UdpDocument | undefined,
  receiving: UdpDocument | undefined,
  intervals: readonly UdpLoadInterval[],
  sent: UdpLoadResult['sent'],
  notes: string[],
): UdpLoadResult['received'] {
  const own = near?.end?.sum_received;
  const durationS = positive(own?.seconds);
  if (own && durationS !== undefined && counter(own.bytes) !== undefined) {
    const received = { bytes: own.bytes ?? 0, durationS, ...countsOf(own), derived: false };
    return received.bytes === 0 && wasNotTold(intervals, receiving) ? undefined : received;
  }
  const counts = countsOf(receiving?.end?.sum ?? near?.end?.sum);
  if (intervals.length > 0) {
    const bytes = intervals.reduce((sum, interval) => sum + interval.bytes, 0);
    const seconds = intervals.reduce((sum, interval) => sum + interval.durationS, 0);
    notes.push("this iperf3 has no receiver's total: delivered is the sum of the receiver's intervals");
    return { bytes, durationS: seconds, ...counts, derived: true };
  }
  const legacyS = positive(near?.end?.sum?.seconds);
  if (!sent || legacyS === undefined || !counts.packets || counts.lost === undefined) return undefined;
  notes.push("this iperf3 has no receiver's total: delivered is worked out from sent bytes and loss");
  const share = Math.max(0, 1 - counts.lost / counts.packets);
  return { bytes: sent.bytes * share, durationS: legacyS, ...counts, derived: true };
}

/** A zero is believed only where the receiver itself shows that nothing came. */
const wasNotTold = (intervals: readonly UdpLoadInterval[], receiving: UdpDocument | undefined): boolean =>
  !receiving || intervals.some(({ bytes }) => bytes > 0);

/** Lost may be negative here: late datagrams are credited back (iperf issue 1044). Whoever shows it must not. */
function countsOf(sum: UdpSum | null | undefined): { packets?: number; lost?: number; jitterMs?: number } {
  const { lost_packets, packets, jitter_ms } = sum ?? {};
  return {
    packets: counter(packets),
    lost: typeof lost_packets === 'number' ? lost_packets : undefined,
    jitterMs: counter(jitter_ms),
  };
}

/** Only the receiver counts them, and it passes them on to nobody (src/iperf_api.c, send_results). */
function reorderedOf(receiving: UdpDocument | undefined): number | undefined {
  const counts = (receiving?.end?.streams ?? []).map((stream) => wholeCounter(stream?.udp?.out_of_order));
  const known = counts.filter((count) => count !== undefined);
  const sum = known.reduce((a, b) => a + b, 0);
  return known.length > 0 && known.length === counts.length && Number.isSafeInteger(sum) ? sum : undefined;
}

function intervalsOf(document: UdpDocument | undefined): UdpLoadInterval[] {
  return (document?.intervals ?? []).flatMap((interval) => {
    const sum = interval?.sum;
    const durationS = positive(sum?.seconds);
    const bytes = counter(sum?.bytes);
    if (!sum || durationS === undefined || bytes === undefined || sum.omitted) return [];
    const { lost, packets } = countsOf(sum);
    const rateBps = (bytes * 8) / durationS;
    if (!Number.isFinite(rateBps)) return [];
    return [{ startS: counter(sum.start) ?? 0, durationS, bytes, rateBps, lost, packets }];
  });
}

/** As for TCP: CPU time of the program by wall-clock time; a server's zero means that the client was not told. */
function cpuOf(
  near: Iperf3Document | undefined,
  far: Iperf3Document | undefined,
  forward: boolean,
): UdpLoadResult['cpu'] {
  const ratio = (percent: number | undefined) => (percent === undefined ? undefined : percent / 100);
  const cpu = near?.end?.cpu_utilization_percent;
  const client = ratio(counter(cpu?.host_total));
  const server = ratio(positive(cpu?.remote_total) ?? positive(far?.end?.cpu_utilization_percent?.host_total));
  return forward ? { sender: client, receiver: server } : { sender: server, receiver: client };
}
