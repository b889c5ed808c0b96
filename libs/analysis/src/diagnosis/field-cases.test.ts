import { describe, expect, it } from 'vitest';
import { concludeOn, diagnoseFacts } from './diagnose.js';
import type { FlowFacts, LegFacts } from './facts.js';
import { exampleFlow, exampleLeg, holding } from './test-support/leg.js';

interface Case {
  readonly id: string;
  readonly says: string;
  readonly leg: LegFacts;
  readonly code: string;
  /** What theory allows there, where the cause has a closed form. */
  readonly ceilingBps?: number;
}

const one = (flow: Partial<FlowFacts>, over: Partial<LegFacts> = {}): LegFacts =>
  exampleLeg({ flows: [exampleFlow(flow)], ...over });
const socket = { sockets: 1, samples: 60, mssBytes: 1448 };

const CASES: readonly Case[] = [
  {
    id: 'B1',
    says: 'a buffer that the application set under rmem_max: the window on the socket, not the 4 MB asked for',
    leg: one({
      throughputBps: 93e6,
      asked: { windowBytes: 4 * 1024 * 1024 },
      baselineRttMs: 18,
      sender: {
        ...socket,
        sndWscale: 7,
        sndWndMaxBytes: 212_992,
        rttMeanMs: 18,
        busyMs: 20_000,
        rwndLimitedMs: 19_000,
        sndbufLimitedMs: 0,
      },
    }),
    code: 'application-window-limited',
    ceilingBps: 94.66e6,
  },
  {
    id: 'B2',
    says: 'a receive window of 17,520 B on a gigabit',
    leg: one({
      throughputBps: 7.6e6,
      baselineRttMs: 18,
      retransmitRatio: 0,
      sender: { ...socket, sndWscale: 7, sndWndMaxBytes: 17_520, sndWndMeanBytes: 17_520, rttMeanMs: 18 },
    }),
    code: 'receive-window-limited',
    ceilingBps: 7.787e6,
  },
  {
    id: 'B4',
    says: 'a send buffer of 16 KB; receiver and link are fine',
    leg: one({
      throughputBps: 6.5e6,
      baselineRttMs: 20,
      sender: {
        ...socket,
        sndBufMaxBytes: 16_384,
        rttMeanMs: 20,
        busyMs: 20_000,
        rwndLimitedMs: 0,
        sndbufLimitedMs: 19_500,
      },
    }),
    code: 'send-buffer-limited',
    ceilingBps: 6.5536e6,
  },
  {
    id: 'B6',
    says: 'loss of 1 in 22,000 at 90 ms: two to four times above the formula is still loss',
    leg: one({
      throughputBps: 490e6,
      congestionControl: 'cubic',
      baselineRttMs: 90,
      retransmitRatio: 1 / 22_000,
      retransmits: 1_500,
      sender: { ...socket, mssBytes: 8948, rttMeanMs: 90, busyMs: 20_000, rwndLimitedMs: 0, sndbufLimitedMs: 0 },
    }),
    code: 'loss-limited',
  },
  {
    id: 'B7',
    says: 'one percent of loss at 100 ms on 10 Gbit/s, CUBIC',
    leg: one({
      throughputBps: 3.27e6,
      congestionControl: 'cubic',
      baselineRttMs: 100,
      retransmitRatio: 0.01,
      retransmits: 60,
      sender: { ...socket, rttMeanMs: 100, busyMs: 20_000, rwndLimitedMs: 0, sndbufLimitedMs: 0 },
    }),
    code: 'loss-limited',
  },
  {
    id: 'B10',
    says: 'tcp_rmem of 4 MiB of which half is window: 336 Mbit/s at 50 ms, not 671',
    leg: one({
      throughputBps: 330e6,
      baselineRttMs: 50,
      sender: {
        ...socket,
        sndWscale: 7,
        sndWndMaxBytes: 2 * 1024 * 1024,
        rttMeanMs: 50,
        busyMs: 20_000,
        rwndLimitedMs: 19_900,
        sndbufLimitedMs: 0,
      },
    }),
    code: 'receive-window-limited',
    ceilingBps: 335.5e6,
  },
  {
    id: 'B14',
    says: "OpenSSH's channel window of 2 MB at 100 ms: TCP looks app-limited",
    leg: one({
      throughputBps: 144e6,
      baselineRttMs: 100,
      senderCpuRatio: 0.3,
      sender: {
        ...socket,
        rttMeanMs: 100,
        appLimitedRatio: 0.97,
        inFlightMeanBytes: 1.85e6,
        inFlightMaxBytes: 2_097_152,
        busyMs: 20_000,
        rwndLimitedMs: 0,
        sndbufLimitedMs: 0,
      },
    }),
    code: 'application-window-limited',
    ceilingBps: 167.8e6,
  },
  {
    id: 'B16',
    says: 'rclone over SFTP keeps 0.9 MB in flight: 9 MB/s at 100 ms',
    leg: one({
      throughputBps: 69e6,
      baselineRttMs: 100,
      senderCpuRatio: 0.2,
      sender: {
        ...socket,
        rttMeanMs: 100,
        appLimitedRatio: 0.95,
        inFlightMeanBytes: 860_000,
        inFlightMaxBytes: 900_000,
        busyMs: 20_000,
        rwndLimitedMs: 0,
        sndbufLimitedMs: 0,
      },
    }),
    code: 'application-window-limited',
    ceilingBps: 72e6,
  },
  {
    id: 'B36',
    says: 'the receiving interface missed 0.35 % of the packets: its ring is too small, the path is fine',
    leg: one({
      throughputBps: 30e6,
      congestionControl: 'cubic',
      baselineRttMs: 10,
      retransmitRatio: 0.0035,
      retransmits: 180,
      sender: { ...socket, rttMeanMs: 10.1, busyMs: 20_000, rwndLimitedMs: 0, sndbufLimitedMs: 0 },
      hosts: {
        receiver: {
          moved: { since: null, until: null, interface: { rx_missed_errors: 176, rx_dropped: 0 }, unknown: {} },
        },
      },
    }),
    code: 'loss-limited',
  },
  {
    id: 'B17',
    says: 'gRPC keeps 4 MB in flight: 40 MB/s at 100 ms while CPU and link idle',
    leg: one({
      throughputBps: 320e6,
      baselineRttMs: 100,
      senderCpuRatio: 0.2,
      sender: {
        ...socket,
        rttMeanMs: 100,
        appLimitedRatio: 0.9,
        inFlightMeanBytes: 4.0e6,
        inFlightMaxBytes: 4_194_304,
        busyMs: 20_000,
        rwndLimitedMs: 0,
        sndbufLimitedMs: 0,
      },
    }),
    code: 'application-window-limited',
    ceilingBps: 335.5e6,
  },
  {
    id: 'B19',
    says: '100 kB over 1 Gbit/s and 50 ms: three round trips of slow start',
    leg: one(
      {
        throughputBps: 5.3e6,
        durationS: 0.15,
        omitS: 0,
        baselineRttMs: 50,
        sender: { ...socket, rttMeanMs: 50, rwndLimitedMs: 0, sndbufLimitedMs: 0, busyMs: 150 },
      },
      { path: { ...exampleLeg().path, committedRateBps: 1e9 } },
    ),
    code: 'startup-dominated',
  },
  {
    id: 'B22',
    says: '6.5 of 10 Gbit/s with one core full: the tool, not the network',
    leg: one({
      throughputBps: 6.5e9,
      baselineRttMs: 1,
      senderCpuRatio: 0.99,
      retransmitRatio: 0,
      retransmits: 0,
      sender: { ...socket, rttMeanMs: 1.02, busyMs: 20_000, rwndLimitedMs: 0, sndbufLimitedMs: 0 },
    }),
    code: 'host-cpu-limited',
  },
  {
    id: 'B25',
    says: '5 Gbit/s a flow in a cloud, more with more flows',
    leg: exampleLeg({
      flows: [
        exampleFlow({
          throughputBps: 4.95e9,
          baselineRttMs: 1,
          retransmitRatio: 0,
          sender: { ...socket, rttMeanMs: 1.02, busyMs: 20_000, rwndLimitedMs: 0, sndbufLimitedMs: 0 },
        }),
        exampleFlow({
          kind: 'parallel',
          streams: 2,
          throughputBps: 9.8e9,
          streamsBps: [4.9e9, 4.9e9],
          retransmitRatio: 0,
        }),
      ],
    }),
    code: 'per-flow-capped',
  },
  {
    id: 'B28',
    says: 'packets balanced one by one: many retransmissions, none needed',
    leg: one({
      throughputBps: 20e6,
      congestionControl: 'cubic',
      baselineRttMs: 20,
      retransmitRatio: 0.02,
      retransmits: 700,
      sender: {
        ...socket,
        rttMeanMs: 20.5,
        reorderingSeen: 900,
        dsackDuplicates: 690,
        busyMs: 20_000,
        rwndLimitedMs: 0,
        sndbufLimitedMs: 0,
      },
    }),
    code: 'reordering',
  },
  {
    id: 'B29',
    says: 'a policer: flat at the token rate after a burst, losses, and no queue',
    leg: one({
      throughputBps: 18e6,
      congestionControl: 'cubic',
      baselineRttMs: 30,
      retransmitRatio: 0.03,
      retransmits: 900,
      sender: { ...socket, rttMeanMs: 30.4, busyMs: 20_000, rwndLimitedMs: 0, sndbufLimitedMs: 0 },
      series: Array.from({ length: 40 }, (_, i) => ({
        atS: (i + 1) / 2,
        bps: i < 2 ? 90e6 : 18e6 + (i % 3) * 4e5,
        rttMs: 30.4,
        retransmitted: i < 2 ? 0 : 20,
      })),
    }),
    code: 'policed',
  },
  {
    id: 'B31',
    says: 'an overlay whose inner MTU was not reduced: ping passes, transfers stand still, smaller segments work',
    leg: exampleLeg({
      flows: [
        exampleFlow({ throughputBps: 0, baselineRttMs: 2, retransmits: 9, sender: { ...socket, rttMeanMs: 2 } }),
        exampleFlow({ throughputBps: 900e6, asked: { mssBytes: 1414 } }),
      ],
    }),
    code: 'mtu-black-hole',
  },
];

describe('field cases (B1, B2, B4, B6, B7, B10, B14, B16, B17, B19, B22, B25, B28, B29, B31, B36): the cause that people found, and its figure', () => {
  it.each(CASES)('$id: $says', ({ leg, code, ceilingBps }) => {
    const found = holding(leg).find((finding) => finding.code === code);
    expect(found, JSON.stringify(holding(leg))).toBeDefined();
    expect(found?.text).toMatch(/\.$/);
    if (ceilingBps === undefined) return;
    expect(found?.predictedCeilingBps).toBeGreaterThan(ceilingBps * 0.99);
    expect(found?.predictedCeilingBps).toBeLessThan(ceilingBps * 1.01);
    expect(holding(leg)[0]?.code).toBe(code);
  });

  it('B36: such a loss is a limit of our host, and says what to read there; without those drops it is the path', () => {
    const leg = CASES.find(({ id }) => id === 'B36')?.leg ?? exampleLeg();
    expect(holding(leg)[0]?.text).toContain('ethtool -S');
    expect(diagnoseFacts(leg).diagnosis.limitedBy).toBe('our-host');
    const clean = exampleLeg({ flows: leg.flows.map((flow) => ({ ...flow, hosts: {} })) });
    expect(diagnoseFacts(clean).diagnosis).toMatchObject({ limitedBy: 'path', primary: 'loss-limited' });
  });

  it('B9: 200 of 423 Mbit/s that the window allows: the window is next, not now', () => {
    const leg = one({
      throughputBps: 200e6,
      congestionControl: 'cubic',
      baselineRttMs: 98,
      retransmitRatio: 0.0029,
      retransmits: 1000,
      sender: {
        ...socket,
        sndWscale: 7,
        sndWndMaxBytes: 5_294_720,
        rttMeanMs: 100,
        inFlightMeanBytes: 3.3e6,
        busyMs: 20_000,
        rwndLimitedMs: 200,
        sndbufLimitedMs: 0,
      },
    });
    const [flow] = leg.flows;
    const window =
      flow && concludeOn({ about: 'flow', flow }, leg).find(({ code }) => code === 'receive-window-limited');
    expect(window?.holds).toBe('no');
    expect(window?.predictedCeilingBps).toBeCloseTo(423.6e6, -6);
  });

  it('B27: one way 80, the other 7 Mbit/s, with errors at the interface', () => {
    const leg = exampleLeg({
      flows: [
        exampleFlow({
          throughputBps: 7e6,
          hosts: {
            receiver: { moved: { since: null, until: null, interface: { rx_crc_errors: 4_211 }, unknown: {} } },
          },
        }),
        exampleFlow({ throughputBps: 80e6, direction: 'reverse', labels: { direction: 'reverse' } }),
      ],
    });
    expect(holding(leg).find(({ code }) => code === 'asymmetric')?.text).toContain('duplex');
  });
});
