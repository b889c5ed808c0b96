import type { TransactionSeries } from '../../measurements/transactions/index.js';

/** A line of transactions: `N=mean/min/max/stdev ms`, in 2.1.7 `N(per second)=...`, whatever stands before and after it. */
export interface BouncebackLine {
  readonly id: string;
  readonly startS: number;
  readonly endS: number;
  readonly series: TransactionSeries;
  readonly retransmits?: number;
}
/** A line of bulk transfer. */
export interface TransferLine {
  readonly id: string;
  readonly startS: number;
  readonly endS: number;
  readonly rateBps: number;
}
export interface Connection {
  readonly id: string;
  readonly localPort: number;
  readonly peerPort: number;
  /** Seconds since 1970, where the line tells when it was set up. */
  readonly atS?: number;
}
export interface Iperf2Output {
  readonly bounceback: readonly BouncebackLine[];
  readonly transfers: readonly TransferLine[];
  readonly connections: readonly Connection[];
  readonly notes: readonly string[];
}

const RANGE = String.raw`^\[ *(SUM(?:-\d+)?|\*?\d+)\] +(\d+\.\d+) ?- ?(\d+\.\d+) +sec\b`;
const BOUNCEBACK = new RegExp(
  String.raw`${RANGE}.*?\s(\d+)(?:\(-?\d+\))?=(-?[\d.]+|-?nan)/(-?[\d.]+|-?nan)/(-?[\d.]+|-?nan)/(-?[\d.]+|-?nan) +ms(?: +(\d+) +(?=[\d-]))?`,
  'i',
);
const HISTOGRAM = new RegExp(
  String.raw`${RANGE} +BB8(?:\(f\))?-PDF: *bin\(w=(\d+)(us|ms)\):cnt\((\d+)\)=([\d:,]*).*?obl/obu=(\d+)/(\d+)`,
);
const TRANSFER = new RegExp(String.raw`${RANGE} +[\d.]+ [KMGT]?Bytes? +([\d.]+) ([KMGT]?)bits/sec`);
const CONNECTED =
  /^\[ *(\d+)\] local \S+ port (\d+) connected with \S+ port (\d+).*?(?: on (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)? \([^)]*\))?$/;
const FACTORS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const LEAVE_OUT =
  /^(-{10,}|Client connecting|Server listening|Binding to|Write buffer|Read buffer|Bounce-?back test|Bursting|TOS |TCP window|Enabled |\[ *ID\]|\[[ *\d]+\] local|MSS |Event )/;

/**
 * Reads what iperf 2.1.7 to 2.2.1 prints with `-e`, client or server, by the shape of each line and not by its columns:
 * what stands beside the numbers changed with every release (src/Locale.c). Never throws.
 */
export function parseIperf2(stdout: string): Iperf2Output {
  const bounceback: BouncebackLine[] = [];
  const transfers: TransferLine[] = [];
  const connections: Connection[] = [];
  const notes = new Set<string>();
  for (const line of stdout.split('\n').map((text) => text.trimEnd())) {
    const histogram = HISTOGRAM.exec(line);
    const series = histogram ? null : BOUNCEBACK.exec(line);
    const transfer = histogram || series ? null : TRANSFER.exec(line);
    const connected = CONNECTED.exec(line);
    if (histogram) attach(histogram, bounceback, notes);
    else if (series) push(bounceback, bouncebackLine(series), line, notes);
    else if (transfer) push(transfers, transferLine(transfer), line, notes);
    else if (connected) connections.push(connection(connected));
    else if (line.trim() !== '' && !LEAVE_OUT.test(line)) notes.add(`iperf printed: ${line.trim().slice(0, 120)}`);
  }
  return { bounceback, transfers, connections, notes: [...notes] };
}

/** Numbers that are none (nan, more digits than a double holds, a time below zero) make a line that says nothing. */
function push<T>(lines: T[], read: T | undefined, line: string, notes: Set<string>): void {
  if (read) lines.push(read);
  else notes.add(`iperf printed no numbers: ${line.trim().slice(0, 120)}`);
}

/** Of one transaction iperf 2 prints zeros for all but the mean: it is all three then. */
function bouncebackLine(found: RegExpExecArray): BouncebackLine | undefined {
  const [, id = '', ...texts] = found;
  const [startS, endS, count, meanMs, min, max, stdev] = texts.slice(0, 7).map(finite);
  if (startS === undefined || endS === undefined || count === undefined || meanMs === undefined) return undefined;
  const one = count < 2;
  const [minMs, maxMs] = one ? [meanMs, meanMs] : [min, max];
  if (minMs === undefined || maxMs === undefined || endS < startS) return undefined;
  if (Math.min(meanMs, minMs, maxMs) < 0) return undefined;
  const series = { count, durationS: endS - startS, meanMs, minMs, maxMs, ...(one ? {} : { stdevMs: stdev }) };
  return { id, startS, endS, series, retransmits: finite(texts[7]) };
}

/** A histogram follows the line of the same id and time. */
function attach(found: RegExpExecArray, lines: BouncebackLine[], notes: Set<string>): void {
  const [, id, start, end, width, unit, count, text = '', below, above] = found;
  const at = lines.findLastIndex(
    (line) => line.id === id && line.startS === finite(start) && line.endS === finite(end),
  );
  const line = lines[at];
  const bins = text
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split(':').map(Number))
    .map(([bin, n]) => ({ bin: bin ?? Number.NaN, count: n ?? Number.NaN }));
  const whole = bins.every((b) => Number.isSafeInteger(b.bin) && Number.isSafeInteger(b.count) && b.count > 0);
  const total = bins.reduce((sum, b) => sum + b.count, Number(below) + Number(above));
  if (!line || !whole || total !== Number(count) || Number(below) > 0)
    return void notes.add('the histogram does not add up: no percentiles');
  const binMs = Number(width) * (unit === 'ms' ? 1 : 0.001);
  lines[at] = { ...line, series: { ...line.series, histogram: { binMs, bins, above: Number(above) } } };
}

function transferLine(found: RegExpExecArray): TransferLine | undefined {
  const [, id = '', start, end, rate, unit = ''] = found;
  const [startS, endS, value] = [finite(start), finite(end), finite(rate)];
  const rateBps = value === undefined ? Number.NaN : value * (FACTORS[unit] ?? Number.NaN);
  if (startS === undefined || endS === undefined || !Number.isFinite(rateBps)) return undefined;
  return { id, startS, endS, rateBps };
}

function connection(found: RegExpExecArray): Connection {
  const [, id = '', localPort, peerPort, day, time] = found;
  const atS = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`) / 1000;
  return {
    id,
    localPort: Number(localPort),
    peerPort: Number(peerPort),
    ...(Number.isFinite(atS) ? { atS } : {}),
  };
}

const finite = (text: string | undefined): number | undefined => {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
};

/** The line of the whole test: the sum if there is one, else the last that begins at 0 and lasts longest. */
export function totalOf<T extends { readonly id: string; readonly startS: number; readonly endS: number }>(
  lines: readonly T[],
): T | undefined {
  const whole = lines.filter(({ startS }) => startS === 0);
  const sums = whole.filter(({ id }) => id.startsWith('SUM'));
  const candidates = sums.length > 0 ? sums : whole;
  return candidates.reduce<T | undefined>((most, one) => (most && most.endS > one.endS ? most : one), undefined);
}
