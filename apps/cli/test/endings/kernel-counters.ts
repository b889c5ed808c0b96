import { type RunningProcess, startProcess } from '@plumbline/process';

/** Sockets that moved less carry no test data: iperf3's control connection. */
const DATA_BYTES = 1_000_000;

interface Count {
  readonly bytes: number;
  /** When the counter was last seen to have grown (Date.now). It grew at most one look earlier. */
  readonly grewAtMs: number;
}

/**
 * What the kernel counts at both ends of the TCP connections between two addresses (tcpi_bytes_sent, tcpi_bytes_received), read
 * by ss some twenty times a second. Nothing here comes from a probe or from the control plane. Ends by itself after `lastsS`.
 */
export class KernelCounters {
  readonly #counts = new Map<string, Count>();
  readonly #process: RunningProcess;
  #text = '';
  #over = false;
  looks = 0;
  lastLookMs = 0;

  constructor(a: string, b: string, lastsS: number) {
    const filter = `( src ${a} and dst ${b} ) or ( src ${b} and dst ${a} )`;
    const script = `for i in $(seq ${lastsS * 20}); do ss -tinHO "$1"; echo "at $(date +%s%N)"; sleep 0.05; done`;
    this.#process = startProcess({
      argv: ['sh', '-c', script, 'sh', filter],
      env: { PATH: process.env.PATH ?? '' },
      timeoutMs: lastsS * 1000,
      maxOutputBytes: Number.POSITIVE_INFINITY,
      onStdout: (chunk) => this.#read(chunk.toString()),
    });
    void this.#process.result.then(() => {
      this.#over = true;
    });
  }

  /** Since when neither end's counters grow. Undefined: no data were ever seen at one of them. */
  quietSince(): Record<'sender' | 'receiver', number> | undefined {
    const last = (kind: 'sent' | 'received'): number | undefined => {
      const counts = [...this.#counts].filter(([key, { bytes }]) => key.startsWith(kind) && bytes > DATA_BYTES);
      return counts.length > 0 ? Math.max(...counts.map(([, { grewAtMs }]) => grewAtMs)) : undefined;
    };
    const [sender, receiver] = [last('sent'), last('received')];
    return sender === undefined || receiver === undefined ? undefined : { sender, receiver };
  }

  /** Resolves when a look that began after now has been read. */
  async nextLook(): Promise<void> {
    const wanted = this.looks + 2;
    // Ends: with the looks, or with the process, which has a timeout.
    while (this.looks < wanted) {
      if (this.#over) throw new Error('ss was not asked for long enough');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    await this.#process.stop(0);
  }

  #read(chunk: string): void {
    const blocks = (this.#text + chunk).split(/^at (\d+)\n/m);
    this.#text = blocks.length % 2 === 1 ? (blocks.pop() ?? '') : '';
    for (let i = 0; i + 1 < blocks.length; i += 2) this.#look(blocks[i] ?? '', Number(blocks[i + 1]) / 1e6);
  }

  #look(lines: string, atMs: number): void {
    this.looks += 1;
    this.lastLookMs = atMs;
    for (const line of lines.split('\n')) {
      const [, , , local, peer] = line.split(/\s+/);
      for (const kind of ['sent', 'received'] as const) {
        const bytes = Number(new RegExp(`\\bbytes_${kind}:(\\d+)`).exec(line)?.[1] ?? 0);
        const key = `${kind} ${local} ${peer}`;
        if (bytes > (this.#counts.get(key)?.bytes ?? 0)) this.#counts.set(key, { bytes, grewAtMs: atMs });
      }
    }
  }
}
