import type { End, SocketSample } from '@plumbline/model';
import type { NewRunEvent } from '../../persistence/postgres-run-events.js';

/** What a watcher sees of one end at one moment: all data sockets together. Unknown is null. */
export interface LiveReading {
  readonly end: End;
  readonly elapsedMs: number;
  readonly sockets: number;
  /** Payload bits per second since the last reading; null for the first. */
  readonly rateBps: number | null;
  /** Mean over the sockets. */
  readonly rttMs: number | null;
  readonly cwndBytes: number | null;
  /** The peer's advertised window. */
  readonly sndWndBytes: number | null;
  /** Sent and not yet acknowledged. */
  readonly inFlightBytes: number | null;
  /** null also when the sockets differ. */
  readonly congestionControl: string | null;
  /** Segments since the start. */
  readonly retransmits: number | null;
}

export interface LiveBatch {
  readonly rows: readonly SocketSample[];
  readonly events: readonly NewRunEvent[];
}

/** Gathers the socket samples of an attempt: all of them for the reading, data sockets for storing and showing. */
export class LiveSamples {
  /** Everything that was parsed, control sockets too. */
  readonly all: SocketSample[] = [];
  private rows: SocketSample[] = [];
  private events: NewRunEvent[] = [];
  private readonly last = new Map<End, { elapsedMs: number; bytes: Map<string, number> }>();
  private readonly shownSecond = new Map<End, number>();

  /**
   * @param key what names the attempt in events
   * @param isData whether a socket carries the test's data
   * @param shownUntilMs readings up to this were stored and shown by an earlier owner
   */
  constructor(
    private readonly key: Readonly<Record<string, number>>,
    private readonly isData: (sample: SocketSample) => boolean,
    private readonly shownUntilMs: Readonly<Partial<Record<End, number>>> = {},
  ) {}

  /** One reading of one end. */
  take(end: End, elapsedMs: number, samples: readonly SocketSample[]): void {
    this.all.push(...samples);
    const data = samples.filter(this.isData);
    if (data.length === 0) return;
    const reading = summariseReading(end, elapsedMs, data, this.last.get(end));
    this.last.set(end, { elapsedMs, bytes: bytesBySocket(data) });
    if (elapsedMs <= (this.shownUntilMs[end] ?? -1)) return;
    this.rows.push(...data);
    const second = Math.floor(elapsedMs / 1000);
    const replay = this.shownSecond.get(end) !== second;
    this.shownSecond.set(end, second);
    this.events.push({ type: 'sample', data: { ...this.key, ...reading }, replay });
  }

  /** What has come since the last call. */
  drain(): LiveBatch | undefined {
    if (this.rows.length === 0) return undefined;
    const batch = { rows: this.rows, events: this.events };
    this.rows = [];
    this.events = [];
    return batch;
  }
}

/** Adds up the data sockets of one end at one moment. */
export function summariseReading(
  end: End,
  elapsedMs: number,
  data: readonly SocketSample[],
  last: { elapsedMs: number; bytes: Map<string, number> } | undefined,
): LiveReading {
  const present = (pick: (sample: SocketSample) => number | undefined): number[] =>
    data.flatMap((sample) => pick(sample) ?? []);
  const sum = (values: readonly number[]): number | null =>
    values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  const rtts = present((sample) => sample.rttMs);
  const total = sum(rtts);
  const algorithms = [...new Set(data.map((sample) => sample.congestionControl))];
  return {
    end,
    elapsedMs,
    sockets: data.length,
    rateBps: last ? rateBps(elapsedMs, data, last) : null,
    rttMs: total === null ? null : total / rtts.length,
    cwndBytes: sum(present((sample) => inBytes(sample.cwndSegments, sample))),
    sndWndBytes: sum(present((sample) => sample.sndWndBytes)),
    inFlightBytes: sum(present((sample) => inBytes(sample.unackedSegments, sample))),
    congestionControl: algorithms.length === 1 ? (algorithms[0] ?? null) : null,
    retransmits: sum(present((sample) => sample.segmentsRetransmitted)),
  };
}

const inBytes = (segments: number | undefined, { mssBytes }: SocketSample): number | undefined =>
  segments === undefined || mssBytes === undefined ? undefined : segments * mssBytes;

/** From the growth of each socket's counters; a socket that is new counts from zero. Null when no time has passed, or nothing counts. */
function rateBps(
  elapsedMs: number,
  data: readonly SocketSample[],
  last: { elapsedMs: number; bytes: Map<string, number> },
): number | null {
  const seconds = (elapsedMs - last.elapsedMs) / 1000;
  const counted = data.some((sample) => sample.bytesAcked !== undefined || sample.bytesReceived !== undefined);
  if (seconds <= 0 || !counted) return null;
  let bytes = 0;
  for (const [socket, now] of bytesBySocket(data)) bytes += Math.max(0, now - (last.bytes.get(socket) ?? 0));
  return (bytes * 8) / seconds;
}

/** A bulk socket moves data one way: what was acknowledged on the sender, what was received on the receiver. */
const bytesBySocket = (data: readonly SocketSample[]): Map<string, number> =>
  new Map(
    data.map((sample) => [
      `${sample.localPort} ${sample.peerAddress} ${sample.peerPort}`,
      Math.max(sample.bytesAcked ?? 0, sample.bytesReceived ?? 0),
    ]),
  );
