import type { SocketSample } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import { LiveSamples, summariseReading } from './live-samples.js';

const sample = (elapsedMs: number, more: Partial<SocketSample> = {}): SocketSample => ({
  end: 'near',
  elapsedMs,
  localAddress: '192.0.2.1',
  localPort: 5000,
  peerAddress: '192.0.2.2',
  peerPort: 5201,
  state: 'ESTAB',
  ...more,
});
const isData = (s: SocketSample) => s.localPort !== 5999;

describe('a reading', () => {
  it('adds up sockets, and takes the rate from the growth of their counters', () => {
    const last = { elapsedMs: 0, bytes: new Map([['5000 192.0.2.2 5201', 1_000]]) };
    const data = [
      sample(250, {
        bytesAcked: 26_000,
        unackedSegments: 5,
        congestionControl: 'cubic',
        rttMs: 10,
        cwndSegments: 10,
        mssBytes: 1_448,
        sndWndBytes: 65_536,
        segmentsRetransmitted: 2,
      }),
      sample(250, {
        localPort: 5001,
        bytesAcked: 25_000,
        congestionControl: 'cubic',
        rttMs: 20,
        cwndSegments: 20,
        mssBytes: 1_448,
        sndWndBytes: 65_536,
        segmentsRetransmitted: 1,
      }),
    ];
    expect(summariseReading('near', 250, data, last)).toEqual({
      end: 'near',
      elapsedMs: 250,
      sockets: 2,
      rateBps: (50_000 * 8) / 0.25,
      rttMs: 15,
      cwndBytes: 30 * 1_448,
      sndWndBytes: 131_072,
      inFlightBytes: 5 * 1_448,
      congestionControl: 'cubic',
      retransmits: 3,
    });
  });

  it('says null for what is not known, never 0', () => {
    expect(summariseReading('far', 250, [sample(250)], { elapsedMs: 0, bytes: new Map() })).toEqual({
      end: 'far',
      elapsedMs: 250,
      sockets: 1,
      rateBps: null,
      rttMs: null,
      cwndBytes: null,
      sndWndBytes: null,
      inFlightBytes: null,
      congestionControl: null,
      retransmits: null,
    });
    expect(summariseReading('near', 250, [sample(250, { bytesAcked: 5 })], undefined).rateBps).toBeNull();
    expect(
      summariseReading('near', 0, [sample(0, { bytesAcked: 5 })], { elapsedMs: 0, bytes: new Map() }).rateBps,
    ).toBeNull();
  });

  it('has no negative rate when a counter starts again', () => {
    const last = { elapsedMs: 0, bytes: new Map([['5000 192.0.2.2 5201', 9_000]]) };
    expect(summariseReading('near', 1_000, [sample(1_000, { bytesAcked: 10 })], last).rateBps).toBe(0);
  });
});

describe('live samples', () => {
  it('are data sockets only, thinned for replays to the first of each second and end', () => {
    const live = new LiveSamples({ leg: 0 }, isData);
    for (const ms of [0, 250, 500, 1_000, 1_250])
      live.take('near', ms, [sample(ms, { bytesAcked: ms }), sample(ms, { localPort: 5999 })]);
    live.take('far', 1_300, [sample(1_300, { end: 'far' })]);
    const batch = live.drain();
    expect(batch?.rows).toHaveLength(6);
    expect(batch?.events.map((event) => event.replay)).toEqual([true, false, false, true, false, true]);
    expect(batch?.events[1]?.data).toMatchObject({ leg: 0, end: 'near', elapsedMs: 250, rateBps: 8_000 });
    expect(live.drain()).toBeUndefined();
    expect(live.all).toHaveLength(11);
  });

  it('that an earlier owner has shown are read again and not shown again', () => {
    const live = new LiveSamples({}, isData, { near: 500 });
    for (const ms of [250, 500, 750]) live.take('near', ms, [sample(ms, { bytesAcked: ms })]);
    const batch = live.drain();
    expect(batch?.rows.map((row) => row.elapsedMs)).toEqual([750]);
    expect(batch?.events[0]?.data).toMatchObject({ rateBps: 8_000 });
    expect(live.all).toHaveLength(3);
  });
});
