import { ended } from '@plumbline/model';
import {
  type ExecuteRequest,
  type ExecuteResponse,
  type Finished,
  ProbeCallError,
  type ProbeConnection,
} from '@plumbline/probe-rpc';
import { describe, expect, it } from 'vitest';
import { type FollowOptions, followEnd } from './end-follower.js';
import { EndRecord } from './end-record.js';

const away = new ProbeCallError('unreachable', 'probe-unreachable', 'gone');
const finish: Finished = {
  outcome: 'completed',
  reason: '',
  detail: '',
  phases: [],
  startedAt: undefined,
  endedAt: undefined,
  outputTruncated: false,
};
const started = (sequence: bigint): ExecuteResponse => ({
  sequence,
  at: undefined,
  event: { $case: 'started', value: { phase: `p${sequence}`, tool: 't', argv: [], pid: 1 } },
});
const finished = (sequence: bigint): ExecuteResponse => ({
  sequence,
  at: undefined,
  event: { $case: 'finished', value: finish },
});

/** A probe whose streams are given one after another; each ends with an error or by itself. */
function probe(streams: (ExecuteResponse | Error)[][]) {
  const asked: Partial<ExecuteRequest>[] = [];
  const connection: Pick<ProbeConnection, 'execute'> = {
    async *execute(request) {
      asked.push({ attachOnly: request.attachOnly, afterSequence: BigInt(request.afterSequence ?? 0) });
      for (const one of streams.shift() ?? [away]) {
        if (one instanceof Error) throw one;
        yield one;
      }
    },
  };
  return { asked, connection };
}

async function follow(streams: (ExecuteResponse | Error)[][], more: Partial<FollowOptions> = {}) {
  const { asked, connection } = probe(streams);
  const record = new EndRecord('near');
  let breaks = 0;
  const followed = await followEnd({
    record,
    connect: async () => Object.assign(Object.create(null), connection),
    first: { attachOnly: false },
    attach: { attachOnly: true },
    firstUntil: performance.now() + 1_000,
    until: () => performance.now() + 1_000,
    onChange: () => undefined,
    onBreak: () => {
      breaks += 1;
    },
    signal: new AbortController().signal,
    ...more,
  });
  return { followed, asked, record, breaks };
}

describe('following one end', () => {
  it('goes on where the stream broke, and only attaches once something was heard', async () => {
    const { followed, asked, record, breaks } = await follow([
      [away],
      [started(1n), started(2n), away],
      [finished(3n)],
    ]);
    expect(followed).toEqual({ how: 'finished' });
    expect(asked).toEqual([
      { attachOnly: false, afterSequence: 0n },
      { attachOnly: false, afterSequence: 0n },
      { attachOnly: true, afterSequence: 2n },
    ]);
    expect(record.started).toHaveLength(2);
    expect(breaks).toBe(2);
  });

  it('ends at once when the probe knows nothing of it, or refuses', async () => {
    const unknown = new ProbeCallError('not-found', 'probe-lost', 'no attempt');
    expect((await follow([[started(1n), away], [unknown]])).followed).toEqual({ how: 'unknown' });
    const refused = new ProbeCallError('refused', 'fence-stale', 'too late');
    expect((await follow([[refused]])).followed).toEqual({ how: 'refused', ending: ended('fence-stale', 'too late') });
  });

  it('ends when time is up: early while nothing was heard, later afterwards', async () => {
    const soon = { firstUntil: performance.now() + 150, until: () => performance.now() + 60_000 };
    expect((await follow([], soon)).followed).toEqual({ how: 'away' });
    const late = { firstUntil: 0, until: () => 0 };
    expect((await follow([[started(1n), away]], late)).followed).toEqual({ how: 'away' });
  });

  it('ends when it is told to', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const began = performance.now();
    const { followed } = await follow([], { signal: stop.signal, firstUntil: began + 60_000 });
    expect(followed).toEqual({ how: 'away' });
  });
});
