import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../persistence/seams.js';
import { type EventSource, eventStream } from './event-stream.js';

/** A run in memory that behaves as the stores do. */
class MemoryRun implements EventSource {
  readonly events: (RunEvent & { replay: boolean })[] = [];
  ended = false;
  gone = false;
  reads = 0;
  readonly listeners = new Set<() => void>();

  add(type: RunEvent['type'], replay = true, ring = true): void {
    this.events.push({ seq: this.events.length + 1, type, at: '2026-01-01T00:00:00.000Z', data: {}, replay });
    if (ring) for (const listener of this.listeners) listener();
  }
  end(): void {
    this.ended = true;
    this.add('run');
  }
  async head() {
    return this.gone ? undefined : { lastSeq: this.events.length, ended: this.ended };
  }
  async read(afterSeq: number, { all, limit }: { all: boolean; limit: number }): Promise<RunEvent[]> {
    this.reads++;
    return this.events.filter((e) => e.seq > afterSeq && (all || e.replay)).slice(0, limit);
  }
  onChange(ring: () => void): () => void {
    this.listeners.add(ring);
    return () => this.listeners.delete(ring);
  }
}

const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const TIMING = { lookMs: 20, heartbeatMs: 60_000 };

async function collect(
  run: EventSource,
  after = 0,
  signal = new AbortController().signal,
  timing = TIMING,
): Promise<string> {
  let text = '';
  for await (const piece of eventStream(run, after, signal, timing)) text += piece;
  return text;
}

describe('a stream of run events', () => {
  test('of an ended run is its past, samples thinned, and then nothing', async () => {
    const run = new MemoryRun();
    run.add('run');
    for (let i = 0; i < 9; i++) run.add('sample', i % 4 === 0);
    run.end();
    expect(idsIn(await collect(run))).toEqual([1, 2, 6, 10, 11]);
    expect(idsIn(await collect(run, 6))).toEqual([10, 11]);
    expect(idsIn(await collect(run, 11))).toEqual([]);
  });

  test('of a past of many batches is whole', async () => {
    const run = new MemoryRun();
    for (let i = 0; i < 1_234; i++) run.add('log');
    run.end();
    expect(idsIn(await collect(run))).toEqual(Array.from({ length: 1_235 }, (_, i) => i + 1));
  });

  test('shows what comes whole, with or without a ring', async () => {
    const run = new MemoryRun();
    run.add('run');
    const text = collect(run);
    await sleep(5);
    run.add('sample', false);
    await sleep(5);
    run.add('sample', false, false);
    await sleep(50);
    run.end();
    expect(idsIn(await text)).toEqual([1, 2, 3, 4]);
  });

  test('says that it lives while nothing happens', async () => {
    const run = new MemoryRun();
    const text = collect(run, 0, undefined, { lookMs: 5, heartbeatMs: 20 });
    await sleep(120);
    run.end();
    expect((await text).match(/^: alive$/gm)?.length).toBeGreaterThanOrEqual(2);
  });

  test('ends, and listens no more, when its client leaves or the run is gone', async () => {
    const run = new MemoryRun();
    const left = new AbortController();
    const text = collect(run, 0, left.signal, { lookMs: 60_000, heartbeatMs: 60_000 });
    await sleep(10);
    expect(run.listeners.size).toBe(1);
    left.abort();
    await text;
    expect(run.listeners.size).toBe(0);
    const other = collect(run);
    run.gone = true;
    await other;
    expect(run.listeners.size).toBe(0);
  });

  test('reads no further than its consumer has asked', async () => {
    const run = new MemoryRun();
    for (let i = 0; i < 5_000; i++) run.add('log');
    const stream = eventStream(run, 0, new AbortController().signal, TIMING);
    for (let i = 0; i < 10; i++) await stream.next();
    await sleep(20);
    expect(run.reads).toBe(1);
    await stream.return(undefined);
    expect(run.listeners.size).toBe(0);
  });
});
