import type { LinkFit } from '../../measurements/hops/index.js';

export interface PcharOutput {
  readonly links: readonly LinkFit[];
  readonly pathRateBps?: number;
  /** Whether it came to the far end; absent: it came to no end. */
  readonly reached?: boolean;
  readonly notes: readonly string[];
}

const NODE = /^\s*(\d+): (?:(\S+) \(\S*\)|no probe responses)\s*$/;
const LOSS = /^\s+Partial loss:\s+(\d+) \/ (\d+) /;
const FIT = /^\s+Partial char:.*?\br2 = (-?\d+\.\d+)/;
const HOP = /^\s+Hop char:\s+rtt = (-?\d+\.\d+|--\.---) ms, bw = (-?\d+\.\d+|--\.---) Kbps/;
const BOTTLENECK = /^\s+Path bottleneck:\s+(\d+\.\d+) Kbps/;
const REACHED = /^\s+Path length:/;
const NOT_REACHED = /^\s+End of path not reached/;
const LEAVE_OUT =
  /^(pchar to |Using |Packet size |\d+ test|\d+ repetition|\s+(stddev rtt|Partial char|Partial queueing|Hop queueing|Path |Start time|End time)|Route change)/;

type Numbers = Pick<LinkFit, 'rateBps' | 'latencyMs' | 'r2' | 'sent' | 'answered'>;
const NOTHING: Numbers = { sent: 0, answered: 0 };

/**
 * Reads pchar's report (main.cc). The numbers of a link stand before the line of the hop that it leads to; a rate of 0 means
 * that the line through the times does not rise. Kbps are 1000 bit/s. Never throws.
 */
export function parsePchar(stdout: string): PcharOutput {
  const links: LinkFit[] = [];
  const notes = new Set<string>();
  let numbers: Numbers | undefined;
  let pathRateBps: number | undefined;
  let reached: boolean | undefined;
  for (const line of stdout.split('\n')) {
    const node = NODE.exec(line);
    const [loss, fit, hop, bottleneck] = [LOSS, FIT, HOP, BOTTLENECK].map((pattern) => pattern.exec(line));
    if (node) {
      if (numbers && links.some((link) => link.hop === Number(node[1])))
        notes.add(`pchar measured hop ${node[1]} twice: the first counts`);
      else addNode(links, Number(node[1]), node[2], numbers);
      numbers = undefined;
    } else if (loss) {
      const sent = Number(loss[2]);
      numbers = { ...NOTHING, ...numbers, sent, answered: Math.max(0, sent - Number(loss[1])) };
    } else if (fit) numbers = { ...NOTHING, ...numbers, r2: within(Number(fit[1]), 0, 1) };
    else if (hop) numbers = { ...NOTHING, ...numbers, latencyMs: least(hop[1], 0), rateBps: rateOf(hop[2]) };
    else if (bottleneck) pathRateBps = rateOf(bottleneck[1]);
    else if (NOT_REACHED.test(line)) reached = false;
    else if (REACHED.test(line)) reached = true;
    else if (line.trim() !== '' && !LEAVE_OUT.test(line)) notes.add(`pchar printed: ${line.trim().slice(0, 120)}`);
  }
  return {
    links,
    notes: [...notes],
    ...(pathRateBps === undefined ? {} : { pathRateBps }),
    ...(reached === undefined ? {} : { reached }),
  };
}

/** The first line of a hop has the numbers; more lines of it are more hosts that answered. Hop 0 is this host. */
function addNode(links: LinkFit[], hop: number, host: string | undefined, numbers: Numbers | undefined): void {
  const hosts = host === undefined ? [] : [host];
  const last = links.at(-1);
  if (numbers && hop > 0 && hop <= 255) links.push({ hop, hosts, ...numbers });
  else if (last?.hop === hop) links[links.length - 1] = { ...last, hosts: [...last.hosts, ...hosts] };
}

const within = (value: number, low: number, high: number): number | undefined =>
  value >= low && value <= high ? value : undefined;
function least(text: string | undefined, low: number): number | undefined {
  const value = Number(text ?? Number.NaN);
  return Number.isFinite(value) && value >= low ? value : undefined;
}
function rateOf(kbps: string | undefined): number | undefined {
  const value = least(kbps, Number.MIN_VALUE);
  return value === undefined || value > 1e12 ? undefined : value * 1000;
}
