/** One line of a hop. A hop is asked up to three times, and again after each change of the MTU: it may have several lines. */
export interface TracepathHop {
  readonly hop: number;
  /** Absent: no reply. */
  readonly host?: string;
  readonly rttMs?: number;
  readonly reached: boolean;
  /** What the hop refuses: !H host, !N network, !P protocol, !A prohibited. */
  readonly refusal?: string;
}
export interface TracepathOutput {
  readonly hops: readonly TracepathHop[];
  /** Hops that said that a packet was too big, and the MTU that they named. */
  readonly signals: readonly { readonly from: string; readonly mtuBytes: number }[];
  /** The MTU of this host's own interface, or what its kernel remembers. */
  readonly localMtuBytes?: number;
  /** The path MTU at the end; absent: it did not come to an end. */
  readonly mtuBytes?: number;
  readonly reached: boolean;
  readonly notes: readonly string[];
}

const LOCAL = /^\s*\d+\??:\s+\[LOCALHOST\]\s.*?pmtu (\d+)/;
const SILENT = /^\s*(\d+)\??:\s+(?:no reply|send failed)/;
const HOP = /^\s*(\d+)\??:\s+(\S+)(?: \(\S+\))?\s+(?:(\d+\.\d+)ms ?)?(.*)$/;
const RESUME = /^\s*(?:Resume|Too many hops): pmtu (\d+)/;

/**
 * Reads what tracepath of iputils s20161105 to 20250605 prints (tracepath.c). A line that ends in "pmtu N" carries the
 * number of the hop that was asked, but comes from the earlier hop whose next link is smaller: it is no answer of that
 * hop. Never throws.
 */
export function parseTracepath(stdout: string): TracepathOutput {
  const hops: TracepathHop[] = [];
  const signals: { from: string; mtuBytes: number }[] = [];
  const notes = new Set<string>();
  let localMtuBytes: number | undefined;
  let mtuBytes: number | undefined;
  for (const line of stdout.split('\n')) {
    const local = LOCAL.exec(line);
    const silent = SILENT.exec(line);
    const resume = RESUME.exec(line);
    const asked = local || silent || resume ? null : HOP.exec(line);
    // A TTL has eight bits.
    const hop = asked && Number(asked[1]) >= 1 && Number(asked[1]) <= 255 ? asked : null;
    const tooBig = /pmtu (\d+)/.exec(hop?.[4] ?? '');
    if (local) localMtuBytes = mtu(local[1]);
    else if (resume) mtuBytes = mtu(resume[1]);
    else if (silent) hops.push({ hop: Number(silent[1]), reached: false });
    else if (hop && tooBig) signals.push({ from: hop[2] ?? '', mtuBytes: mtu(tooBig[1]) ?? 0 });
    else if (hop) hops.push(hopOf(hop));
    else if (line.trim() !== '') notes.add(`tracepath printed: ${line.trim().slice(0, 120)}`);
  }
  const named = signals.filter((signal) => signal.mtuBytes > 0);
  return { hops, signals: named, localMtuBytes, mtuBytes, reached: hops.some((one) => one.reached), notes: [...notes] };
}

function hopOf([, hop, host, rtt, rest = '']: RegExpExecArray): TracepathHop {
  const refusal = /![HNAP]|!\S+/.exec(rest)?.[0];
  return {
    hop: Number(hop),
    ...(host === undefined ? {} : { host }),
    ...(rtt === undefined ? {} : { rttMs: Number(rtt) }),
    reached: /\breached\b/.test(rest),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

const mtu = (digits: string | undefined): number | undefined => {
  const value = Number(digits ?? Number.NaN);
  return Number.isSafeInteger(value) && value > 0 && value <= 65_535 ? value : undefined;
};
