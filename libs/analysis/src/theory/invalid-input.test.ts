import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as all from '../index.js';
import { TheoryError } from './theory-error.js';

const { TheoryError: _, ...theory } = all;
const framing = { mtuBytes: 1500, ipVersion: 4 as const, timestamps: true, vlanTags: 0 };

describe('invalid input', () => {
  it('is an error that names its field, never NaN', () => {
    const cases: [string, () => unknown][] = [
      ['rateBps', () => theory.bdpBytes(-1, 5)],
      ['rttMs', () => theory.bdpBytes(1e6, 0)],
      ['rttMs', () => theory.windowCeilingBps(65_535, Number.NaN)],
      ['windowBytes', () => theory.connectionsToFill(1e6, 5, 0)],
      ['lossRatio', () => theory.mathisBps(1448, 45, 1.1)],
      ['lossRatio', () => theory.cubicResponse(45, -0.1)],
      ['mssBytes', () => theory.cubicBps(0, 45, 0.1)],
      ['timeS', () => theory.cubicWindowAt(-1, 100)],
      ['initialWindowSegments', () => theory.slowStart(1e6, 5, 1448, 0)],
      ['mtuBytes', () => theory.tcpShareOfIp({ ...framing, mtuBytes: 40 })],
      ['vlanTags', () => theory.tcpShareOfEthernet({ ...framing, vlanTags: -1 })],
      ['payloadBytes', () => theory.udpShareOfEthernet(0)],
      ['outerMtuBytes', () => theory.tunnelMtuBytes('vxlan', 50)],
      ['lostPackets', () => theory.lossFromCounts(11, 10)],
      ['retransmittedBytes', () => theory.tcpEfficiency(10, 11)],
      ['baseRttMs', () => theory.bufferDelayRatio(10, 0)],
      ['perSecondRttMs', () => theory.meanRttMs([])],
      ['ratesBps[1]', () => theory.jainFairness([1, -1])],
      ['links', () => theory.packetRoundTripMs([], 84, 84)],
      ['runLength', () => theory.runLengthTest(4)],
      ['alpha', () => theory.runLengthTest(363, 0)],
      ['percent', () => theory.percentileLinear([1], 101)],
      ['values', () => theory.percentileLinear([1, Number.NaN], 50)],
      ['x', () => theory.mannWhitney([], [1])],
      ['y', () => theory.hodgesLehmannShift([1], [])],
      ['differences', () => theory.hodgesLehmannPaired([])],
      ['pValues[0]', () => theory.holm([1.5])],
      ['ratios[1]', () => theory.geometricMean([1, 0])],
      ['level', () => theory.medianRanks(10, 1)],
      ['after', () => theory.compareRuns({ before: [1, 2], after: [1], direction: 'higher-is-better', paired: true })],
    ];
    for (const [field, call] of cases) {
      const error = caught(call);
      expect(error, field).toBeInstanceOf(TheoryError);
      expect(error).toMatchObject({ field });
    }
  });

  const wild = fc.oneof(
    fc.double(),
    fc.constantFrom(0, -0, -1, 1, 1e308, 5e-324, Number.NaN, Number.POSITIVE_INFINITY),
    fc.double({ min: 1e-3, max: 1e12 }),
  );
  const functions: Record<string, (a: number, b: number, c: number) => unknown> = {
    bdp: (a, b) => theory.bdpBytes(a, b),
    window: (a, b) => theory.windowCeilingBps(a, b),
    needed: (a, b) => theory.neededWindowBytes(a, b),
    connections: (a, b, c) => theory.connectionsToFill(a, b, c),
    mathis: (a, b, c) => theory.mathisBps(a, b, c),
    cubic: (a, b, c) => theory.cubicBps(a, b, c),
    response: (a, b) => theory.cubicResponse(a, b),
    growth: (a, b) => theory.cubicWindowAt(a, b),
    lossFor: (a, b) => theory.cubicLossRatioFor(a, b),
    slowStart: (a, b, c) => theory.slowStart(a, b, c),
    delivery: (a, b, c) => theory.slowStartDelivery(a, b, c),
    tcpCeiling: (a, b) => theory.tcpPayloadCeilingBps(a, 'ethernet', { ...framing, mtuBytes: b }),
    y1564: (a, b) => theory.y1564LineRateBps(a, b),
    udp: (a, b, c) =>
      theory.udpDelivery({
        offeredPayloadBps: a,
        payloadBytes: 1448,
        linkRateBps: b,
        linkLayer: 'ip',
        queueBytes: c,
        durationS: 10,
      }),
    loss: (a, b) => theory.lossFromCounts(a, b),
    ideal: (a, b) => theory.idealTransferTimeS(a, b),
    ratio: (a, b) => theory.transferTimeRatio(a, b),
    efficiency: (a, b) => theory.tcpEfficiency(a, b),
    bufferDelay: (a, b) => theory.bufferDelayRatio(a, b),
    jain: (a, b, c) => theory.jainFairness([a, b, c]),
    jitter: (a, b, c) =>
      theory.interarrivalJitterMs([
        { sentMs: a, receivedMs: b },
        { sentMs: b, receivedMs: c },
      ]),
    ipdv: (a, b, c) => theory.interPacketDelayVariationMs([a, b, null, c]),
    pdv: (a, b, c) => theory.packetDelayVariationMs([a, b, null, c]),
    transaction: (a, b) => theory.packetRoundTripMs([{ rateBps: a, oneWayDelayMs: b }], 84, 84),
    targetWindow: (a, b, c) => theory.targetWindowPackets(a, b, c, 52),
    runLength: (a) => theory.runLengthTest(a),
    percentile: (a, b, c) => theory.percentileLinear([a, b], c),
    median: (a, b) => theory.median([a, b]),
    geometric: (a, b) => theory.geometricMean([a, b]),
    mannWhitney: (a, b, c) => theory.mannWhitney([a, b], [c]),
    signedRank: (a, b, c) => theory.signedRank([a, b, c]),
    shift: (a, b, c) => theory.hodgesLehmannShift([a, b], [c]),
    split: (a, b, c) => theory.bestSplit([a, b, c]),
    compare: (a, b, c) => theory.compareRuns({ before: [a, b], after: [b, c], direction: 'higher-is-better' }),
  };

  it.each(Object.entries(functions))('%s gives finite numbers or a TheoryError for any numbers', (_name, call) => {
    fc.assert(
      fc.property(wild, wild, wild, (a, b, c) => {
        const result = caught(() => call(a, b, c));
        if (!(result instanceof TheoryError)) expect(notFinite(result), JSON.stringify([a, b, c])).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** What a call threw, or what it returned. */
function caught(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** Every number within a result that is not finite; an error of another kind counts as one. */
function notFinite(value: unknown): unknown[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [value];
  if (value instanceof Error) return [value];
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(notFinite);
  return [];
}
