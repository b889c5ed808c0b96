/** One answered request. `index` counts requests from 0, whatever the program starts its sequence with. */
export interface EchoReply {
  readonly index: number;
  /** Absent: the line has no time (a payload too small for a time stamp, a truncated reply). */
  readonly rttMs?: number;
}
export interface EchoError {
  readonly index?: number;
  readonly from: string;
  readonly text: string;
}
export interface PingOutput {
  /** From the summary; absent: there is none, the program was cut short. */
  readonly sent?: number;
  readonly received?: number;
  readonly replies: readonly EchoReply[];
  readonly duplicates: number;
  readonly errors: readonly EchoError[];
  readonly notes: readonly string[];
}

const REPLY = /^\d+ bytes from (\S.*?): (icmp_)?seq=(\d+)(.*)$/;
const TIME = /time[=<](\d+(?:[.,]\d+)?) ?ms/;
/** iputils: `From 192.0.2.254 icmp_seq=3 Destination Host Unreachable`, older ones with a colon after the address. */
const ERROR = /^From (\S+?):? (?:icmp_)?seq=(\d+) (.+)$/;
const SUMMARY = /^(\d+) packets transmitted, (\d+)(?: packets)? received/;
/** BusyBox says `seq=`, inetutils `PING a (a): 56 data bytes`; iputils starts with 1. */
const COUNTS_FROM_0 = /^PING [^\n]*\): \d+ data bytes|: seq=\d/m;
const LEAVE_OUT = /^(PING |--- |rtt |round-trip |pipe |no answer yet|, ipg|\d+ packets transmitted)/;

/**
 * Reads ping's lines: iputils, BusyBox (`seq=` from 0, no mdev) and inetutils alike. Numbers come from the lines, not from
 * the percentages and means below them. Never throws; lines that are not understood are noted.
 */
export function parsePing(stdout: string): PingOutput {
  const first = COUNTS_FROM_0.test(stdout) ? 0 : 1;
  const seen = new Map<number, EchoReply>();
  const errors: EchoError[] = [];
  const notes = new Set<string>();
  let duplicates = 0;
  let last = 0;
  let summary: RegExpExecArray | null = null;
  for (const line of stdout.split('\n').map((l) => l.trim())) {
    const reply = REPLY.exec(line);
    const error = reply ? null : ERROR.exec(line);
    const sequence = reply?.[3] ?? error?.[2];
    const index = sequence === undefined ? 0 : unwrap(Number(sequence) - first, last);
    summary = SUMMARY.exec(line) ?? summary;
    if (reply && !/BAD CHECKSUM/.test(line)) {
      last = Math.max(last, index);
      if (/,\d+ ?ms/.test(line)) notes.add('a decimal comma was read as a point');
      if (/DUP!/.test(line) || seen.has(index)) duplicates += 1;
      else seen.set(index, { index, ...timeOf(reply[4] ?? '') });
    } else if (error) errors.push({ index, from: shortened(error[1]), text: shortened(error[3]) });
    else if (line !== '' && !reply && !LEAVE_OUT.test(line)) notes.add(`ping printed: ${shortened(line)}`);
  }
  const counts = summary ? { sent: Number(summary[1]), received: Number(summary[2]) } : {};
  return { ...counts, replies: [...seen.values()], duplicates, errors, notes: [...notes] };
}

/** Of a line that has no end, what can be shown. */
const shortened = (text = ''): string => text.slice(0, 120);

/** The sequence number has 16 bits: the index nearest to the last one that has these. */
function unwrap(sequence: number, last: number): number {
  const round = 65_536;
  const guess = Math.round((last - sequence) / round) * round + sequence;
  return guess < 0 ? guess + round : guess;
}

function timeOf(text: string): { rttMs?: number } {
  const rttMs = Number(TIME.exec(text)?.[1]?.replace(',', '.') ?? Number.NaN);
  return Number.isFinite(rttMs) ? { rttMs } : {};
}
