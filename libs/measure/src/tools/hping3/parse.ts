/** An answer of the port itself: `SA` is open, `RA` (or `R`) is closed. */
export interface SynReply {
  /** Counts SYNs from 0. */
  readonly index: number;
  readonly from: string;
  readonly flags: string;
  readonly rttMs?: number;
}
/** What a router or the far host said by ICMP instead of an answer. hping3 counts it as one all the same. */
export interface SynError {
  readonly from: string;
  readonly text: string;
  /** Time exceeded, and not unreachable. */
  readonly inTransit: boolean;
  /** The TTL in traceroute mode. */
  readonly hop?: number;
}
export interface HpingOutput {
  /** From the summary; absent: there is none, the program was cut short. */
  readonly sent?: number;
  readonly replies: readonly SynReply[];
  readonly duplicates: number;
  readonly errors: readonly SynError[];
  /** Round trips by TTL in traceroute mode. */
  readonly hopRtts: readonly { readonly hop: number; readonly rttMs: number }[];
  readonly notes: readonly string[];
}

const REPLY =
  /^(DUP! )?len=\d+ ip=(\S+) ttl=\d+ (?:DF )?id=\+?\d+ (?:tos=\S+ iplen=\d+ )?sport=\d+ flags=(\w+) seq=(\d+) win=\d+ rtt=(\d+(?:\.\d+)?) ms/;
const ERROR = /^(?:hop=(\d+) )?(TTL 0 during (?:transit|reassembly)|ICMP .+?)(?: from)? ip=(\d+\.\d+\.\d+\.\d+)/;
/** A TTL has eight bits. */
const isTtl = (digits: string | undefined): boolean =>
  digits === undefined || (Number(digits) >= 1 && Number(digits) <= 255);
const HOP_RTT = /^hop=(\d+) hoprtt=(\d+(?:\.\d+)?) ms/;
/** Upstream prints "tramitted", distributions mend it; on stderr (statistics.c). Its loss is not read: it counts errors as answers. */
const SUMMARY = /^(\d+) packets (?:tramitted|transmitted), (\d+) packets received/m;
const LEAVE_OUT = /^(HPING |using |--- |round-trip |\d+ packets |\d+ out of sequence|\[main\] memlock)/;

/** Reads hping3's lines, never its summary's loss (waitpacket.c, logicmp.c, statistics.c). Never throws. */
export function parseHping(stdout: string, stderr: string): HpingOutput {
  const replies = new Map<number, SynReply>();
  const errors: SynError[] = [];
  const hopRtts: { hop: number; rttMs: number }[] = [];
  const notes = new Set<string>();
  let duplicates = 0;
  for (const line of stdout.split('\n').map((text) => text.trim())) {
    const reply = REPLY.exec(line);
    const hopRtt = HOP_RTT.exec(line);
    const error = reply || hopRtt ? null : ERROR.exec(line);
    if (reply) {
      const index = Number(reply[4]);
      if (reply[1] !== undefined || replies.has(index)) duplicates += 1;
      else replies.set(index, { index, from: reply[2] ?? '', flags: reply[3] ?? '', rttMs: Number(reply[5]) });
    } else if (hopRtt && isTtl(hopRtt[1])) hopRtts.push({ hop: Number(hopRtt[1]), rttMs: Number(hopRtt[2]) });
    else if (error && isTtl(error[1])) errors.push(errorOf(error));
    else if (line !== '' && !LEAVE_OUT.test(line)) notes.add(`hping3 printed: ${line.slice(0, 120)}`);
  }
  const summary = SUMMARY.exec(stderr) ?? SUMMARY.exec(stdout);
  const sent = summary ? Number(summary[1]) : undefined;
  return {
    ...(sent === undefined ? {} : { sent }),
    replies: [...replies.values()],
    duplicates,
    errors,
    hopRtts,
    notes: [...notes],
  };
}

function errorOf([, hop, text = '', from = '']: RegExpExecArray): SynError {
  const words = text.replace(/ from$/, '').trim();
  return {
    from,
    text: words,
    inTransit: words.startsWith('TTL 0'),
    ...(hop === undefined ? {} : { hop: Number(hop) }),
  };
}

/** hping3's first complaint, without its summary, which comes on stderr too. */
export const complaintOf = (stderr: string): string | undefined =>
  stderr
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '' && !LEAVE_OUT.test(line));
