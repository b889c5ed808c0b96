import type { SocketSample } from '@plumbline/model';
import type { SocketFacts } from '../facts.js';
import { greatestOf, known, leastOf, meanOf, medianOf, sumOf } from '../numbers.js';
import { groupedBy } from './values.js';

type Field = {
  [K in keyof SocketSample]-?: NonNullable<SocketSample[K]> extends number ? K : never;
}[keyof SocketSample];

/** From when to when a test is counted, on the clock of one end's readings. */
export interface CountedSpan {
  readonly beginMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Kernel counters stand still once the data is through: a reading this long after the end still tells the total. */
const TAIL_MS = 1_000;

export const socketKey = (sample: SocketSample): string =>
  `${sample.localPort} ${sample.peerAddress} ${sample.peerPort}`;

/**
 * The counted part: it begins when the stream that came last was first seen (streams are connected one after the other),
 * and the omitted start comes off. Undefined without readings.
 */
export function spanOf(
  samples: readonly SocketSample[],
  omitS: number,
  durationS: number | undefined,
): CountedSpan | undefined {
  const firsts = groupedBy(samples, socketKey).map((own) => leastOf(own.map((sample) => sample.elapsedMs)) ?? 0);
  const beginMs = greatestOf(firsts);
  if (beginMs === undefined) return undefined;
  const fromMs = beginMs + omitS * 1000;
  const lastMs = greatestOf(samples.map((sample) => sample.elapsedMs)) ?? fromMs;
  return { beginMs, fromMs, untilMs: durationS === undefined ? lastMs : fromMs + durationS * 1000 };
}

/** What the readings of one end say together: counters added up, windows of the widest socket, round trips of all. */
export function socketFactsOf(samples: readonly SocketSample[], span: CountedSpan): SocketFacts | undefined {
  const counted = samples.filter(({ elapsedMs }) => elapsedMs >= span.fromMs && elapsedMs <= span.untilMs);
  if (counted.length === 0) return undefined;
  const each = groupedBy(samples, socketKey);
  const values = (field: Field): number[] => known(counted.map((sample) => sample[field]));
  const bytes = (field: 'cwndSegments' | 'unackedSegments'): number[] =>
    known(counted.map((sample) => times(sample[field], sample.mssBytes)));
  const grown = (field: Field): number | undefined => {
    const growths = each.map((own) => growthOf(own, span, field));
    return growths.every((growth) => growth !== undefined) ? sumOf(known(growths)) : undefined;
  };
  const kernelMin = leastOf(known(samples.map((sample) => sample.minRttMs)));
  const flagged = counted.filter((sample) => sample.deliveryBps !== undefined);
  return {
    sockets: each.length,
    samples: counted.length,
    mssBytes: medianOf(values('mssBytes')),
    rttMeanMs: meanOf(values('rttMs')),
    rttMinMs: leastOf(known([kernelMin, leastOf(values('rttMs'))])),
    rttMaxMs: greatestOf(values('rttMs')),
    cwndMeanBytes: meanOf(bytes('cwndSegments')),
    cwndMinBytes: leastOf(bytes('cwndSegments')),
    cwndMaxBytes: greatestOf(bytes('cwndSegments')),
    inFlightMeanBytes: meanOf(bytes('unackedSegments')),
    inFlightMaxBytes: greatestOf(bytes('unackedSegments')),
    sndWndMaxBytes: greatestOf(values('sndWndBytes')),
    sndWndMeanBytes: meanOf(values('sndWndBytes')),
    rcvWndMaxBytes: greatestOf(values('rcvWndBytes')),
    sndBufMaxBytes: greatestOf(values('sndBufBytes')),
    rcvBufMaxBytes: greatestOf(values('rcvBufBytes')),
    sndWscale: shiftOf(counted, 'sndWscale'),
    rcvWscale: shiftOf(counted, 'rcvWscale'),
    busyMs: grown('busyMs'),
    rwndLimitedMs: grown('rwndLimitedMs'),
    sndbufLimitedMs: grown('sndbufLimitedMs'),
    appLimitedRatio:
      flagged.length > 0 ? flagged.filter((s) => s.appLimited === true).length / flagged.length : undefined,
    deliveryMaxBps: greatestOf(values('deliveryBps')),
    deliveryMedianBps: medianOf(values('deliveryBps')),
    pacingMeanBps: meanOf(values('pacingBps')),
    segmentsRetransmitted: grown('segmentsRetransmitted'),
    bytesRetransmitted: grown('bytesRetransmitted'),
    bytesSent: grown('bytesSent'),
    dsackDuplicates: grown('dsackDuplicates'),
    reorderingSeen: grown('reorderingSeen'),
  };
}

/** How far a socket's counter moved over the counted part. Undefined where unknown, or where it went back: another socket's. */
function growthOf(own: readonly SocketSample[], span: CountedSpan, field: Field): number | undefined {
  const last = own.filter(({ elapsedMs }) => elapsedMs <= span.untilMs + TAIL_MS).at(-1)?.[field];
  const before = own.filter(({ elapsedMs }) => elapsedMs <= span.fromMs).at(-1);
  const first = span.fromMs > span.beginMs && before ? before[field] : 0;
  return last === undefined || first === undefined || last < first ? undefined : last - first;
}

/** Null: sockets were read whole and none had the option. A reading without an MSS was not read whole. */
function shiftOf(counted: readonly SocketSample[], field: 'sndWscale' | 'rcvWscale'): number | null | undefined {
  const whole = counted.filter((sample) => sample.mssBytes !== undefined && sample.rttMs !== undefined);
  const shift = greatestOf(known(counted.map((sample) => sample[field])));
  return shift ?? (whole.length > 0 ? null : undefined);
}

const times = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a * b;
