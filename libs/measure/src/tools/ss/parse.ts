import type { End, SocketSample } from '@plumbline/model';
import { leadingNumber, members, rateBps, type Token, tokenise } from './tokens.js';

type Fields = Partial<Omit<SocketSample, 'end' | 'elapsedMs' | 'localAddress' | 'peerAddress' | 'state'>>;
type Reader = (value: string) => Fields;

const number =
  (field: keyof Fields): Reader =>
  (value) => ({ [field]: leadingNumber(value) });
const rate =
  (field: keyof Fields): Reader =>
  (value) => ({ [field]: rateBps(value) });

/** What each key of ss means to us (misc/ss.c, tcp_stats_print and print_skmeminfo). */
const READERS: Readonly<Record<string, Reader>> = {
  wscale: (value) => {
    const [snd, rcv] = value.split(',');
    return { sndWscale: leadingNumber(snd), rcvWscale: leadingNumber(rcv) };
  },
  rtt: (value) => {
    const [mean, deviation] = value.split('/');
    return { rttMs: leadingNumber(mean), rttVarMs: leadingNumber(deviation) };
  },
  // Outstanding now, then in total.
  retrans: (value) => ({ segmentsRetransmitted: leadingNumber(value.split('/')[1]) }),
  pacing_rate: (value) => ({ pacingBps: rateBps(value.split('/')[0]) }),
  skmem: (value) => {
    const sizeOf = (letters: string) => leadingNumber(new RegExp(`[(,]${letters}(\\d+)`).exec(value)?.[1]);
    return { rcvBufBytes: sizeOf('rb'), sndBufBytes: sizeOf('tb') };
  },
  bbr: (value) => {
    const inside = new Map(members(value).map((member) => [member.key, member.value]));
    return { bbrBwBps: rateBps(inside.get('bw')), bbrMinRttMs: leadingNumber(inside.get('mrtt')) };
  },
  mss: number('mssBytes'),
  pmtu: number('pmtuBytes'),
  cwnd: number('cwndSegments'),
  ssthresh: number('ssthreshSegments'),
  bytes_sent: number('bytesSent'),
  bytes_retrans: number('bytesRetransmitted'),
  bytes_acked: number('bytesAcked'),
  bytes_received: number('bytesReceived'),
  send: rate('sendBps'),
  delivery_rate: rate('deliveryBps'),
  busy: number('busyMs'),
  rwnd_limited: number('rwndLimitedMs'),
  sndbuf_limited: number('sndbufLimitedMs'),
  unacked: number('unackedSegments'),
  notsent: number('notSentBytes'),
  lost: number('segmentsLost'),
  sacked: number('segmentsSacked'),
  dsack_dups: number('dsackDuplicates'),
  reord_seen: number('reorderingSeen'),
  rcv_rtt: number('rcvRttMs'),
  rcv_space: number('rcvSpaceBytes'),
  rcv_ssthresh: number('rcvSsthreshBytes'),
  minrtt: number('minRttMs'),
  snd_wnd: number('sndWndBytes'),
  rcv_wnd: number('rcvWndBytes'),
};
/** Known, and of no use to us. */
const IGNORED = new Set(
  (
    'ts sack ecn ecnseen fastopen usec_ts bidir rto backoff ato qack rcvmss advmss segs_out segs_in data_segs_out ' +
    'data_segs_in lastsnd lastrcv lastack delivered delivered_ce fackets reordering rcv_ooopack rehash dctcp mem'
  ).split(' '),
);

/** Reads what `ss -tinm` printed at one moment. Never throws: lines that are not understood are left out and noted. */
export function parseSs(text: string, end: End, elapsedMs: number): { samples: SocketSample[]; notes: string[] } {
  const samples: SocketSample[] = [];
  const notes: string[] = [];
  const blocks: { head: string[]; information: string }[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const last = blocks.at(-1);
    if (!/^\s/.test(line)) blocks.push(headOf(line));
    else if (last) last.information += ` ${line}`;
    else notes.push(`ss: a line without a socket: ${line.trim().slice(0, 80)}`);
  }
  for (const { head, information } of blocks) {
    const [state, , , local, peer] = head;
    const here = local === undefined ? undefined : addressOf(local);
    const there = peer === undefined ? undefined : addressOf(peer);
    if (state === undefined || !here || !there) {
      notes.push(`ss: not a socket: ${head.join(' ').slice(0, 80)}`);
      continue;
    }
    const identity = {
      localAddress: here.address,
      localPort: here.port,
      peerAddress: there.address,
      peerPort: there.port,
    };
    samples.push({ end, elapsedMs, ...identity, state, ...informationOf(tokenise(information)) });
  }
  return { samples, notes };
}

/** State, queues, addresses; with -O (one line) the information follows them. */
function headOf(line: string): { head: string[]; information: string } {
  const words = line.trim().split(/\s+/);
  return { head: words.slice(0, 5), information: words.slice(5).join(' ') };
}

/** `192.0.2.1:5201`, `[2001:db8::1]:5201`, either with `%interface` before the port. */
function addressOf(text: string): { address: string; port: number } | undefined {
  const match = /^\[?([0-9A-Fa-f:.]+)\]?(?:%[^:\]]+)?\]?:(\d{1,5})$/.exec(text);
  return match ? { address: match[1]!, port: Number(match[2]) } : undefined;
}

function informationOf(tokens: readonly Token[]): Fields {
  const fields: Fields = {};
  const other: Record<string, string> = {};
  const bare: string[] = [];
  let valuesSeen = false;
  for (const { key, value } of tokens) {
    const reader = Object.hasOwn(READERS, key) ? READERS[key] : undefined;
    if (reader && value !== undefined) Object.assign(fields, reader(value));
    else if (key === 'app_limited') fields.appLimited = true;
    else if (value === undefined && !valuesSeen && !IGNORED.has(key)) bare.push(key);
    else if (!IGNORED.has(key)) other[key] = value ?? '';
    if (value !== undefined && key !== 'skmem' && key !== 'mem') valuesSeen = true;
  }
  // Flags come first, then the algorithm, then keys with values: the last bare word before those is the algorithm.
  const congestionControl = bare.pop();
  for (const word of bare) other[word] = '';
  return {
    ...(congestionControl === undefined ? {} : { congestionControl }),
    ...dropUndefined(withKnownZeros(fields)),
    ...(Object.keys(other).length > 0 ? { other } : {}),
  };
}

/**
 * ss prints most counters only when they are not zero. A zero is filled in only where a neighbour of the same age shows
 * that this kernel and ss know the counter: `busy` for the limits (4.10), `bytes_sent` (kernel 4.19, iproute2 4.20) for
 * what came with it and for `busy` itself. Those that are older than every supported version need a sign of a sender only: `cwnd`.
 * A key that stands there but could not be read stays unknown.
 */
function withKnownZeros(fields: Fields): Fields {
  const zeros: Fields = {};
  if (fields.cwndSegments !== undefined)
    Object.assign(zeros, {
      unackedSegments: 0,
      notSentBytes: 0,
      segmentsRetransmitted: 0,
      segmentsLost: 0,
      segmentsSacked: 0,
    });
  if (fields.bytesSent !== undefined)
    Object.assign(zeros, { bytesRetransmitted: 0, dsackDuplicates: 0, reorderingSeen: 0, busyMs: 0 });
  if (fields.busyMs !== undefined || fields.bytesSent !== undefined)
    Object.assign(zeros, { rwndLimitedMs: 0, sndbufLimitedMs: 0 });
  return { ...zeros, ...fields };
}

const dropUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
