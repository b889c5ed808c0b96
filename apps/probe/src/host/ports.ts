import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface PortRange {
  readonly low: number;
  readonly high: number;
}
/** Away from the kernel's ephemeral ports (32768 and up), and from iperf3's own 5201. */
export const DEFAULT_PORTS: PortRange = { low: 5300, high: 5999 };

interface TableEntry {
  readonly protocol: 'tcp' | 'udp';
  readonly localPort: number;
  readonly listens: boolean;
}

/** A port that was let go of may still be in TIME-WAIT at the other end for as long (tcp(7), 60 s). */
const REST_MS = 120_000;

/** State column of /proc/net/tcp: TCP_LISTEN (include/net/tcp_states.h). */
const LISTEN = '0A';

/** The kernel's tables of sockets in this process's own network namespace (proc(5)). Each read walks a large hash: about a millisecond. */
export function readSocketTable(protocols: readonly ('tcp' | 'udp')[] = ['tcp', 'udp']): TableEntry[] {
  return protocols.flatMap((protocol) =>
    [protocol, `${protocol}6`].flatMap((name) => parseSocketTable(readTable(name), protocol)),
  );
}

export function parseSocketTable(text: string, protocol: 'tcp' | 'udp'): TableEntry[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const match = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]{2}) /.exec(line);
      if (!match) return [];
      const listens = protocol === 'tcp' ? match[3] === LISTEN : match[2] === '0000';
      return [{ protocol, localPort: Number.parseInt(match[1] ?? '', 16), listens }];
    });
}

/** A kernel without IPv6 has no tcp6. */
function readTable(name: string): string {
  try {
    return readFileSync(`/proc/net/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Whether that process listens on that port. Looks at the kernel's table: to connect would be the server's one client. A process
 * without any socket cannot listen, and that is cheaper to see.
 */
export const isListening = (pid: number, protocol: 'tcp' | 'udp', port: number): boolean =>
  hasSocket(pid) && readSocketTable([protocol]).some((entry) => entry.localPort === port && entry.listens);

/** Whether a TCP client is or was connected to that port (its socket may be in TIME-WAIT already). */
export const hasClient = (port: number): boolean =>
  readSocketTable(['tcp']).some((entry) => entry.localPort === port && !entry.listens);

function hasSocket(pid: number): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((name) => readlinkSync(`${folder}/${name}`).startsWith('socket:'));
  } catch {
    // A descriptor was closed while we looked, or the process is gone: look again.
    return false;
  }
}

/** Gives out ports of the probe's range: random, free in the kernel's table, never two attempts on one, each rested. */
export class Ports {
  readonly #taken = new Set<number>();
  readonly #restsUntil = new Map<number, number>();

  constructor(
    private readonly range: PortRange = DEFAULT_PORTS,
    private readonly table: () => readonly TableEntry[] = readSocketTable,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * A port, or the first of several in a row. Prefers ports that nobody used lately.
   * @returns undefined when none is free, or no such run of them
   */
  take(count = 1): number | undefined {
    const used = new Set(this.table().map((entry) => entry.localPort));
    const isFree = (port: number): boolean => !used.has(port) && !this.#taken.has(port);
    const isRested = (port: number): boolean => isFree(port) && (this.#restsUntil.get(port) ?? 0) <= this.now();
    const rested = this.#starts(count, isRested);
    const choice = rested.length > 0 ? rested : this.#starts(count, isFree);
    const first = choice.length > 0 ? choice[randomInt(choice.length)] : undefined;
    if (first !== undefined) for (let port = first; port < first + count; port += 1) this.#taken.add(port);
    return first;
  }

  giveBack(first: number, count = 1): void {
    for (let port = first; port < first + count; port += 1) {
      this.#taken.delete(port);
      this.#restsUntil.set(port, this.now() + REST_MS);
    }
  }

  /** Where a run of that many good ports begins. */
  #starts(count: number, isGood: (port: number) => boolean): number[] {
    const starts: number[] = [];
    let length = 0;
    for (let port = this.range.low; port <= this.range.high; port += 1) {
      length = isGood(port) ? length + 1 : 0;
      if (length >= count) starts.push(port - count + 1);
    }
    return starts;
  }
}
