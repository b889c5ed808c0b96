import type { SocketSample } from '@plumbline/model';
import type { FlowPoint } from '../facts.js';
import { known, meanOf } from '../numbers.js';
import { socketKey } from './sockets.js';

/** Shorter steps than this are noise of the reader's clock. */
const STEP_MS = 200;

interface Total {
  readonly atMs: number;
  readonly bytes: number;
  readonly retransmitted: number | undefined;
  readonly rttMs: number | undefined;
}

/** Rates over time from a counter of bytes: acknowledged ones at a sender, received ones at a receiver. The start is in it. */
export function seriesOf(samples: readonly SocketSample[], counter: 'bytesAcked' | 'bytesReceived'): FlowPoint[] {
  const points: FlowPoint[] = [];
  let last: Total | undefined;
  const first = samples[0]?.elapsedMs ?? 0;
  for (const total of totalsOf(samples, counter)) {
    if (last && total.atMs - last.atMs < STEP_MS) continue;
    if (last && total.bytes >= last.bytes)
      points.push({
        atS: (total.atMs - first) / 1000,
        bps: ((total.bytes - last.bytes) * 8 * 1000) / (total.atMs - last.atMs),
        rttMs: total.rttMs,
        retransmitted: differenceOf(total.retransmitted, last.retransmitted),
      });
    last = total;
  }
  return points;
}

/** All sockets together at each moment that was read; a socket that was not read just then stands where it stood. */
function totalsOf(samples: readonly SocketSample[], counter: 'bytesAcked' | 'bytesReceived'): Total[] {
  const latest = new Map<string, SocketSample>();
  const totals: Total[] = [];
  samples.forEach((sample, i) => {
    if (sample[counter] !== undefined) latest.set(socketKey(sample), sample);
    const isLastOfMoment = samples[i + 1]?.elapsedMs !== sample.elapsedMs;
    if (!isLastOfMoment || latest.size === 0) return;
    const all = [...latest.values()];
    const again = all.map((socket) => socket.segmentsRetransmitted);
    totals.push({
      atMs: sample.elapsedMs,
      bytes: all.reduce((sum, socket) => sum + (socket[counter] ?? 0), 0),
      retransmitted: again.includes(undefined) ? undefined : known(again).reduce((a, b) => a + b, 0),
      rttMs: meanOf(known(all.map((socket) => socket.rttMs))),
    });
  });
  return totals;
}

const differenceOf = (now: number | undefined, before: number | undefined): number | undefined =>
  now === undefined || before === undefined || now < before ? undefined : now - before;
