import { greatest, type ThroughputInterval, type ThroughputTotal } from '../../measurements/throughput/index.js';
import type { Iperf3Document, Iperf3Interval, Iperf3Sum } from './document.js';

/** How far a total may lie from its own intervals before it is called wrong (before 3.14 --omit inflated totals). */
const TOLERANCE = 0.01;

/** Nothing that iperf3 tells is smaller: it prints microseconds and bytes. Dividing by less gives infinite rates. */
const SMALLEST = 1e-9;

/** iperf3 writes 0 for what it could not read from the kernel, and negative numbers for what overflowed: both unknown. */
export const positive = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && value >= SMALLEST ? value : undefined;
/** A counter: zero is a value, negative means that there is none. */
export const counter = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 ? value : undefined;
/** Of things that come whole: segments, datagrams. */
export const wholeCounter = (value: number | null | undefined): number | undefined =>
  typeof value === 'number' && value >= 0 && Number.isSafeInteger(value) ? value : undefined;

/** Intervals of one end: bytes of all streams together, the widest of their windows, the mean of their RTTs. */
export function intervalsOf(document: Iperf3Document | undefined, omitS: number): ThroughputInterval[] {
  return (document?.intervals ?? []).flatMap((interval) => intervalOf(interval, omitS) ?? []);
}

/** Intervals of one end and one stream, which counts from 0. */
export function streamIntervals(
  document: Iperf3Document | undefined,
  omitS: number,
  stream: number,
): ThroughputInterval[] {
  return (document?.intervals ?? []).flatMap(({ streams }) => {
    const own = streams?.[stream];
    return own ? (intervalOf({ streams: [own] }, omitS) ?? []) : [];
  });
}

function intervalOf({ streams, sum: printed }: Iperf3Interval, omitS: number): ThroughputInterval | undefined {
  const each = streams ?? [];
  const only = each.length === 1 ? each[0] : undefined;
  const sum = printed ?? only;
  const durationS = positive(sum?.seconds);
  const bytes = counter(sum?.bytes);
  if (!sum || durationS === undefined || bytes === undefined) return undefined;
  const rateBps = (bytes * 8) / durationS;
  if (!Number.isFinite(rateBps)) return undefined;
  const omitted = sum.omitted ?? each[0]?.omitted ?? false;
  // iperf3 starts its clock again after the omitted part.
  const shift = omitted ? 0 : omitS;
  const startS = counter(sum.start) ?? 0;
  const rttsUs = each.flatMap(({ rtt }) => positive(rtt) ?? []);
  return {
    startS: startS + shift,
    endS: (counter(sum.end) ?? startS + durationS) + shift,
    durationS,
    bytes,
    rateBps,
    omitted,
    retransmits: wholeCounter(sum.retransmits),
    cwndBytes: greatest(each.flatMap(({ snd_cwnd }) => positive(snd_cwnd) ?? [])),
    sndWndBytes: greatest(each.flatMap(({ snd_wnd }) => positive(snd_wnd) ?? [])),
    rttMs: rttsUs.length > 0 ? rttsUs.reduce((a, b) => a + b, 0) / rttsUs.length / 1000 : undefined,
  };
}

/** The rate is worked out from bytes and seconds; what iperf3 prints beside them is compared, not used. */
export function totalOf(sum: Iperf3Sum | null | undefined, name: string, notes: string[]): ThroughputTotal | undefined {
  const durationS = positive(sum?.seconds);
  const bytes = counter(sum?.bytes);
  if (durationS === undefined || bytes === undefined) return undefined;
  const rateBps = (bytes * 8) / durationS;
  if (!Number.isFinite(rateBps)) return undefined;
  const printed = sum?.bits_per_second;
  if (typeof printed === 'number' && differs(printed, rateBps))
    notes.push(`${name}: bits_per_second ${printed} is not bytes by seconds (${rateBps})`);
  return { bytes, durationS, rateBps };
}

/** Whether two numbers lie more than one percent apart. */
export const differs = (a: number, b: number): boolean =>
  Math.abs(a - b) > TOLERANCE * Math.max(Math.abs(a), Math.abs(b));

/** The measured part's own sum: bytes and seconds of the intervals that are not omitted. */
export function totalOfIntervals(intervals: readonly ThroughputInterval[]): ThroughputTotal | undefined {
  const counted = intervals.filter((interval) => !interval.omitted);
  const bytes = counted.reduce((sum, interval) => sum + interval.bytes, 0);
  const durationS = counted.reduce((sum, interval) => sum + interval.durationS, 0);
  return durationS > 0 ? { bytes, durationS, rateBps: (bytes * 8) / durationS } : undefined;
}

/**
 * The total to go by: the printed one, unless the same end's intervals contradict it. Then the intervals win, since it is
 * the totals that older versions got wrong (iperf issues 443, 692, 1261), and a note says so.
 */
export function reconciled(
  printed: ThroughputTotal | undefined,
  intervals: readonly ThroughputInterval[],
  name: string,
  notes: string[],
): ThroughputTotal | undefined {
  const summed = totalOfIntervals(intervals);
  if (!printed || !summed || !differs(printed.rateBps, summed.rateBps)) return printed;
  notes.push(
    `${name}: the total of ${printed.rateBps.toFixed(0)} bit/s and the sum of the intervals, ${summed.rateBps.toFixed(0)} bit/s, differ by more than 1 %; the intervals are used`,
  );
  return summed;
}

/** Counters that JSON's doubles can no longer hold exactly, by their place. */
export function overflows(value: unknown, path = ''): string[] {
  if (typeof value === 'number')
    return /(^|\.)(bytes|retransmits|packets|lost_packets|out_of_order)$/.test(path) &&
      Math.abs(value) > Number.MAX_SAFE_INTEGER
      ? [path]
      : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => overflows(inner, path === '' ? key : `${path}.${key}`));
}
