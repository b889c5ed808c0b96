/** One line of the receiver. Megabytes are of 1024 x 1024 bytes; a rate is 10^6 bit/s (nuttcp.c, MB_FMT). */
export interface NuttcpReport {
  readonly bytes: number;
  readonly durationS: number;
  readonly rateBps: number;
}
export interface NuttcpTotal extends NuttcpReport {
  readonly cpuTransmitter?: number;
  readonly cpuReceiver?: number;
  /** Of this connection; a count of the whole host (`host-retrans`) is none. */
  readonly retransmits?: number;
  readonly rttMs?: number;
}
export interface NuttcpOutput {
  readonly intervals: readonly NuttcpReport[];
  /** Absent: the receiver's total did not come. */
  readonly total?: NuttcpTotal;
  /** It went on without the server, with the transmitter's count: that is no measurement of the receiver. */
  readonly classicMode: boolean;
  readonly notes: readonly string[];
}

const PAIR = /([A-Za-z_][\w-]*)=(-?\d+(?:\.\d+)?)%?(?=\s|$)/g;
const CLASSIC = /classic mode|transmitter side statistics/i;

/** Reads `nuttcp -fparse`, brief, by its keys and never by places (pscheduler issue 301). Never throws. */
export function parseNuttcp(stdout: string, stderr: string): NuttcpOutput {
  const intervals: NuttcpReport[] = [];
  const notes = new Set<string>();
  let total: NuttcpTotal | undefined;
  for (const line of stdout.split('\n').map((text) => text.trim())) {
    const keys = new Map([...line.matchAll(PAIR)].map(([, key = '', value]) => [key, Number(value)] as const));
    const megabytes = keys.get('megabytes');
    const mbps = keys.get('rate_Mbps');
    const whole = keys.get('real_seconds');
    const seconds = keys.get('real_sec') ?? whole;
    // The transmitter's own lines of the verbose output begin with nuttcp-t.
    if (line.startsWith('nuttcp-t:')) continue;
    if (!isCount(megabytes) || !isCount(mbps) || !isCount(seconds)) {
      if (line !== '' && !/^(nuttcp-r:|ignoring interval)/.test(line))
        notes.add(`nuttcp printed: ${line.slice(0, 120)}`);
      continue;
    }
    const report = { bytes: Math.round(megabytes * 2 ** 20), durationS: seconds, rateBps: mbps * 1e6 };
    if (whole === undefined) intervals.push(report);
    else total = { ...report, ...moreOf(keys) };
  }
  return {
    intervals,
    ...(total ? { total } : {}),
    classicMode: CLASSIC.test(`${stdout}\n${stderr}`),
    notes: [...notes],
  };
}

/** What moved, how fast and how long: none of it is negative, and all of it fits into a counter. */
const isCount = (value: number | undefined): value is number =>
  value !== undefined && value >= 0 && value * 2 ** 20 <= Number.MAX_SAFE_INTEGER;

function moreOf(keys: ReadonlyMap<string, number>): Omit<NuttcpTotal, keyof NuttcpReport> {
  const ratio = (percent: number | undefined) => (percent === undefined || percent < 0 ? undefined : percent / 100);
  return {
    cpuTransmitter: ratio(keys.get('tx_cpu')),
    cpuReceiver: ratio(keys.get('rx_cpu')),
    retransmits: keys.get('retrans'),
    rttMs: keys.get('rtt_ms'),
  };
}
