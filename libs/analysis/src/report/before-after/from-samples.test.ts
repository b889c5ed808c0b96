import type { SocketSample } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import { seriesFromSamples } from './from-samples.js';

const sample = (over: Partial<SocketSample>): SocketSample => ({
  end: 'near',
  elapsedMs: 0,
  localAddress: '198.51.100.1',
  localPort: 40_000,
  peerAddress: '198.51.100.2',
  peerPort: 5201,
  state: 'ESTAB',
  ...over,
});
const seconds = [0, 1, 2, 3];
const near = seconds.map((s) =>
  sample({
    elapsedMs: s * 1000,
    bytesAcked: s * 2e6,
    sndWndBytes: 100_000 + s,
    unackedSegments: 60 + s,
    mssBytes: 1448,
  }),
);
const far = seconds.map((s) =>
  sample({ end: 'far', localPort: 5201, peerPort: 40_000, elapsedMs: s * 1000, bytesReceived: s * 1e6 }),
);
const control = seconds.map((s) => sample({ localPort: 39_999, elapsedMs: s * 1000, bytesAcked: 300, sndWndBytes: 7 }));

describe('series from socket samples', () => {
  it('counts at the receiver, takes the window and the flight at the sender, and leaves the control socket out', () => {
    const found = seriesFromSamples([...control, ...far.toReversed(), ...near], { sender: 'near' });
    expect(found.throughputSeries).toEqual([1, 2, 3].map((tS) => ({ tS, bps: 8e6 })));
    expect(found.windowSeries).toEqual(seconds.map((tS) => ({ tS, bytes: 100_000 + tS })));
    expect(found.inFlightSeries[3]).toEqual({ tS: 3, bytes: 63 * 1448 });
  });

  it('counts acknowledged bytes where the receiver says nothing', () => {
    expect(seriesFromSamples(near, { sender: 'near' }).throughputSeries[0]).toEqual({ tS: 1, bps: 16e6 });
  });

  it('leaves the omitted seconds out and counts from their end', () => {
    const found = seriesFromSamples([...near, ...far], { sender: 'near', omitS: 2 });
    expect(found.windowSeries.map((p) => p.tS)).toEqual([0, 1]);
    expect(found.throughputSeries.map((p) => p.tS)).toEqual([0, 1]);
  });

  it('takes the far end as sender in the reverse direction', () => {
    const turned = [...near, ...far].map((s): SocketSample => ({ ...s, end: s.end === 'near' ? 'far' : 'near' }));
    expect(seriesFromSamples(turned, { sender: 'far' }).throughputSeries).toHaveLength(3);
  });

  it('has nothing where ss said nothing', () => {
    const nothing = { throughputSeries: [], windowSeries: [], inFlightSeries: [] };
    expect(seriesFromSamples([], { sender: 'near' })).toEqual(nothing);
    expect(seriesFromSamples([sample({}), sample({ elapsedMs: 250 })], { sender: 'near' })).toEqual(nothing);
  });

  it('skips a counter that went back and two samples of one moment', () => {
    const odd = [0, 5e6, 1e6, 1e6].map((bytesAcked, i) => sample({ bytesAcked, elapsedMs: i === 3 ? 2000 : i * 1000 }));
    expect(seriesFromSamples(odd, { sender: 'near' }).throughputSeries).toEqual([{ tS: 1, bps: 40e6 }]);
  });
});
