import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnoseFacts } from './diagnose.js';
import type { FlowFacts, LegFacts, SocketFacts } from './facts.js';
import { exampleFlow, exampleLeg, holding } from './test-support/leg.js';

const maybe = (max: number) => fc.option(fc.double({ min: 0, max, noNaN: true }), { nil: undefined });
const socket: fc.Arbitrary<SocketFacts> = fc.record({
  sockets: fc.integer({ min: 1, max: 8 }),
  samples: fc.nat(200),
  mssBytes: maybe(9000),
  rttMeanMs: maybe(1000),
  rttMinMs: maybe(1000),
  inFlightMeanBytes: maybe(1e8),
  inFlightMaxBytes: maybe(1e8),
  sndWndMaxBytes: maybe(1e9),
  sndWndMeanBytes: maybe(1e9),
  sndBufMaxBytes: maybe(1e9),
  sndWscale: fc.constantFrom(undefined, null, 0, 7),
  busyMs: maybe(1e5),
  rwndLimitedMs: maybe(1e5),
  sndbufLimitedMs: maybe(1e5),
  appLimitedRatio: maybe(1),
  deliveryMedianBps: maybe(1e11),
  dsackDuplicates: maybe(1e4),
  reorderingSeen: maybe(1e4),
});
const flow: fc.Arbitrary<FlowFacts> = fc
  .record({
    streams: fc.integer({ min: 1, max: 8 }),
    direction: fc.constantFrom('forward' as const, 'reverse' as const, 'simultaneous' as const),
    throughputBps: maybe(1e11),
    durationS: maybe(100),
    omitS: maybe(10),
    asked: fc.record({
      windowBytes: maybe(1e8),
      rateBps: maybe(1e10),
      congestionControl: fc.constantFrom(undefined, 'cubic', 'bbr'),
    }),
    congestionControl: fc.constantFrom(undefined, 'cubic', 'bbr', 'reno'),
    sender: fc.option(socket, { nil: undefined }),
    receiver: fc.option(socket, { nil: undefined }),
    baselineRttMs: maybe(1000),
    retransmitRatio: maybe(1),
    retransmits: maybe(1e6),
    senderCpuRatio: maybe(4),
    series: fc.array(
      fc.record({
        atS: fc.double({ min: 0, max: 100, noNaN: true }),
        bps: fc.double({ min: 0, max: 1e11, noNaN: true }),
        rttMs: maybe(1000),
        retransmitted: maybe(1000),
      }),
      { maxLength: 30 },
    ),
  })
  .map((over) => exampleFlow(over));
const leg: fc.Arbitrary<LegFacts> = fc
  .record({
    flows: fc.array(flow, { maxLength: 4 }),
    committedRateBps: maybe(1e11).map((bps) => bps || undefined),
    udp: fc.array(
      fc.record({
        step: fc.constant(1),
        direction: fc.constantFrom('forward' as const, 'reverse' as const),
        bottleneckBps: maybe(1e11),
        highestCleanBps: maybe(1e11),
        steps: fc.array(
          fc.record({
            step: fc.constant(1),
            attempt: fc.constant(0),
            direction: fc.constant('forward' as const),
            offeredBps: fc.double({ min: 1, max: 1e11, noNaN: true }),
            deliveredBps: maybe(1e11),
            lossRatio: maybe(1),
            durationS: maybe(60),
            payloadBytes: fc.constantFrom(undefined, 16, 1448, 9000),
            hosts: fc.constant({}),
          }),
          { maxLength: 4 },
        ),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ committedRateBps, ...over }) => exampleLeg({ ...over, path: { ...exampleLeg().path, committedRateBps } }));

describe('any facts at all', () => {
  it('are answered without an exception, with finite numbers and sentences without holes', () => {
    fc.assert(
      fc.property(leg, (facts) => {
        const { findings, diagnosis } = diagnoseFacts(facts);
        for (const finding of Object.values(findings).flat()) {
          for (const value of [...Object.values(finding.evidence), finding.predictedCeilingBps ?? 0])
            expect(Number.isFinite(value)).toBe(true);
          expect(finding.text ?? '').not.toMatch(/NaN|undefined|Infinity/);
          if (finding.holds === 'cannot-tell') expect(finding.missing?.length).toBeGreaterThan(0);
          else if (finding.code !== 'inconclusive') expect(finding.missing).toBeUndefined();
        }
        expect(diagnosis.headline).not.toMatch(/NaN|undefined|Infinity/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('facts taken away one by one', () => {
  const sender: SocketFacts = {
    sockets: 1,
    samples: 60,
    mssBytes: 1448,
    rttMeanMs: 46.4,
    rttMinMs: 44.3,
    inFlightMeanBytes: 78_000,
    inFlightMaxBytes: 86_000,
    sndWndMaxBytes: 86_446,
    sndWndMeanBytes: 86_000,
    sndWscale: 7,
    busyMs: 20_000,
    rwndLimitedMs: 19_000,
    sndbufLimitedMs: 0,
    appLimitedRatio: 0,
    dsackDuplicates: 0,
    reorderingSeen: 0,
  };
  const whole = exampleFlow({
    throughputBps: 13.4e6,
    baselineRttMs: 44.3,
    retransmitRatio: 0,
    retransmits: 0,
    congestionControl: 'cubic',
    sender,
    senderCpuRatio: 0.05,
    receiverCpuRatio: 0.05,
  });
  const without = Object.keys(sender).filter((key) => key !== 'sockets' && key !== 'samples');

  it('says the receive window with all of them', () => {
    expect(holding(exampleLeg({ flows: [whole] }))[0]?.code).toBe('receive-window-limited');
  });

  it.each(without)('without %s: the same, or that it cannot tell', (key) => {
    const flow = { ...whole, sender: { ...sender, [key]: undefined } };
    expect(['receive-window-limited', 'inconclusive']).toContain(holding(exampleLeg({ flows: [flow] }))[0]?.code);
  });
});
