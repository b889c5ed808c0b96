import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { isTerminal } from '@plumbline/model';
import { HttpMetrics } from '../health/http-metrics.js';
import { Closing } from '../http/closing.js';
import { notThere } from '../http/refusals.js';
import { Database, RunEvents, Signals } from '../persistence/seams.js';
import { type EventSource, eventStream } from './event-stream.js';

/** Postgres may restart under an open stream; the client would only connect again and wait as well. */
const PATIENCE_MS = 10_000;

@Injectable()
export class RunStreams {
  constructor(
    private readonly database: Database,
    private readonly events: RunEvents,
    private readonly signals: Signals,
    private readonly closing: Closing,
    private readonly metrics: HttpMetrics,
  ) {}

  /**
   * The events of a run after `afterSeq`.
   * @param left aborts when the client has left: a generator that waits is not ended by destroying the stream over it
   * @returns undefined when the run has ended and nothing comes any more
   * @throws {ProblemError} not-found
   */
  async open(runId: string, afterSeq: number, left: AbortSignal): Promise<Readable | undefined> {
    const source = this.sourceOf(runId);
    const head = await source.head();
    if (!head) throw notThere('run', runId);
    if (head.ended && afterSeq >= head.lastSeq) return undefined;
    const text = eventStream(source, afterSeq, AbortSignal.any([left, this.closing.signal]));
    const stream = Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });
    this.metrics.streams.inc();
    stream.once('close', () => this.metrics.streams.dec());
    // A client that left, or a Postgres that stayed away: the client comes back with Last-Event-ID.
    stream.on('error', () => undefined);
    return stream;
  }

  private sourceOf(runId: string): EventSource {
    return {
      head: async () => {
        const row = await this.database.retrying(
          'look at a run',
          ({ run }) => run.findUnique({ where: { id: runId }, select: { state: true, lastEvent: true } }),
          PATIENCE_MS,
        );
        return row ? { lastSeq: row.lastEvent, ended: isTerminal(row.state) } : undefined;
      },
      read: (afterSeq, options) =>
        this.database.retrying('read run events', () => this.events.read(runId, afterSeq, options), PATIENCE_MS),
      onChange: (ring) =>
        this.signals.listen('run_event', (payload) => {
          if (payload === runId || payload === '') ring();
        }),
    };
  }
}
