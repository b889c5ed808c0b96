import { describe, expect, it, test } from 'vitest';
import { close, closeList } from '../test-support/close.js';
import { interarrivalJitterMs, interPacketDelayVariationMs, packetDelayVariationMs } from './delay-variation.js';
import { jainFairness } from './fairness.js';
import { framesPerSecond } from './framing.js';
import {
  bufferDelayRatio,
  idealTransferTimeS,
  meanRttMs,
  rfc6349IsMeaningful,
  tcpEfficiency,
  tcpEfficiencyFromSegments,
  transferTimeRatio,
} from './rfc6349.js';
import {
  judgeRunLength,
  packetsToFail,
  packetsToPass,
  runLengthTest,
  targetRunLength,
  targetRunLengthAppendixA,
  targetWindowPackets,
} from './rfc8337.js';
import { packetRoundTripMs, transactionTime } from './transaction.js';

describe('vector 8: RFC 6349', () => {
  const max100M = framesPerSecond(100e6, 1500) * 1460 * 8;

  it('times transfers', () => {
    close(max100M, 94_928_478.5);
    const ideal = idealTransferTimeS(100e6, max100M);
    close(ideal, 8.4274);
    close(idealTransferTimeS(100e6, max100M * 10), 0.84274);
    close(idealTransferTimeS(100e6, max100M * 100), 0.084274);
    close(transferTimeRatio(9.2, ideal), 1.09168);
    expect(transferTimeRatio(12, 8)).toBe(1.5);
    close(transferTimeRatio(12, idealTransferTimeS(500e6, max100M * 5)), 1.42393);
    close(transferTimeRatio(1 / 1448, 1 / 1460), 1.00829);
  });

  it('counts efficiency', () => {
    close(tcpEfficiency(102_000, 2000) * 100, 98.0392);
    close(tcpEfficiency(100_560_000, 560_000) * 100, 99.4431);
    close(tcpEfficiencyFromSegments(1e9, 690, 1448) * 100, 99.9001);
  });

  it('divides buffer delay by the baseline', () => {
    expect(meanRttMs([25, 27, 31, 35, 42])).toBe(32);
    expect(bufferDelayRatio(32, 25)).toBeCloseTo(0.28, 12);
    close(bufferDelayRatio(45.9, 44.08) * 100, 4.12886);
  });

  it('says where the method does not apply', () => {
    expect(rfc6349IsMeaningful(0.05, 150)).toBe(true);
    expect(rfc6349IsMeaningful(0.051, 10)).toBe(false);
    expect(rfc6349IsMeaningful(0, 151)).toBe(false);
  });
});

describe('vector 9: Jain', () => {
  test.each([
    [[1, 1, 1, 1], 1],
    [[4, 3, 2, 1], 5 / 6],
    [[10, 0, 0, 0], 0.25],
    [[1, 2], 0.9],
    [[5.1, 4.9, 5, 5], 0.9998],
    [[2.9, 2.4, 2.6, 2], 0.982852],
    [[7], 1],
  ])('%j is %d', (rates, fairness) => close(jainFairness(rates), fairness));

  it('is undefined when nothing is carried', () => {
    expect(jainFairness([0, 0])).toBeNull();
    expect(jainFairness([])).toBeNull();
  });
});

describe('vector 10: RFC 3550 jitter', () => {
  const packets = (sent: number[], received: number[]) =>
    sent.map((sentMs, i) => ({ sentMs, receivedMs: received[i] ?? 0 }));

  it('follows the published steps', () => {
    const found = interarrivalJitterMs(packets([0, 20, 40, 60, 80, 100, 120], [50, 71, 89, 112, 130, 155, 170]));
    closeList(found, [0.0625, 0.183594, 0.359619, 0.462143, 0.745759, 1.01165]);
    close(found.at(-1), 16_972_655 / 16_777_216);
  });

  it('takes packets in order of arrival', () => {
    const found = interarrivalJitterMs(packets([0, 20, 60, 40, 80], [50, 71, 110, 113, 131]));
    closeList(found, [0.0625, 0.121094, 1.55103, 2.82909]);
  });

  test.each([
    [1, 1],
    [2, 1.9375],
    [16, 10.3028],
    [100, 15.9748],
  ])('approaches a constant |D| of 16: after %d', (n, jitter) => {
    const steady = Array.from({ length: n + 1 }, (_, i) => ({ sentMs: 0, receivedMs: 16 * (i % 2) }));
    close(interarrivalJitterMs(steady).at(-1), jitter);
  });

  it('has no value for fewer than two packets', () =>
    expect(interarrivalJitterMs([{ sentMs: 0, receivedMs: 1 }])).toEqual([]));
});

describe('vector 11: RFC 5481 delay variation', () => {
  it('is the difference to the packet before, or to the smallest', () => {
    expect(interPacketDelayVariationMs([20, 10, 20, 25, 20])).toEqual([null, -10, 10, 5, -5]);
    expect(packetDelayVariationMs([20, 10, 20, 25, 20])).toEqual([10, 0, 10, 15, 10]);
  });

  it('is undefined beside a lost packet', () => {
    expect(interPacketDelayVariationMs([20, 10, null, 25, 20])).toEqual([null, -10, null, null, -5]);
    expect(packetDelayVariationMs([20, 10, null, 25, 20])).toEqual([10, 0, null, 15, 10]);
    expect(packetDelayVariationMs([null])).toEqual([null]);
  });

  it('does not see the offset of the clocks', () =>
    expect(packetDelayVariationMs([1020, 1010, null, 1025, 1020])).toEqual([10, 0, null, 15, 10]));
});

describe('vector 21: RFC 8337', () => {
  test.each([
    [2.5e6, 50, 1500, 64, 11, 363],
    [1e6, 100, 1500, 64, 9, 243],
    [100e6, 200, 1500, 64, 1741, 9_093_243],
    [20e6, 45, 1500, 52, 78, 18_252],
    [1e9, 18, 9000, 52, 252, 190_512],
  ])('%d bit/s, %d ms, MTU %d', (rate, rtt, mtu, overhead, packets, run) => {
    expect(targetWindowPackets(rate, rtt, mtu, overhead)).toBe(packets);
    expect(targetRunLength(packets)).toBe(run);
  });

  it('has another run length in appendix A', () => close(targetRunLengthAppendixA(11), 161.333));

  test.each([
    [363, 1.39462, 0.00596711, 2.11129, [354, 522, 689, 857], [148, 316, 484]],
    [243, 1.39877, 0.00891797, 2.10502, [237, 349, 461, 573], [100, 212, 324]],
    [
      9_093_243,
      1.38629,
      2.37984e-7,
      2.12396,
      [8_924_831, 13_126_801, 17_328_772, 21_530_742],
      [3_681_080, 7_883_050, 12_085_021],
    ],
  ])('sequential test of run length %d', (run, k, slope, h, passes, fails) => {
    const lines = runLengthTest(run);
    close(lines.k, k);
    close(lines.slope, slope);
    close(lines.h1, h);
    close(lines.h2, h);
    passes.forEach((n, losses) => {
      expect(packetsToPass(lines, losses)).toBe(n);
      expect(judgeRunLength(lines, losses, n)).toBe('pass');
      expect(judgeRunLength(lines, losses, n - 1)).toBe('inconclusive');
    });
    fails.forEach((n, i) => {
      expect(packetsToFail(lines, i + 3)).toBe(n);
      expect(judgeRunLength(lines, i + 3, n)).toBe('fail');
      expect(judgeRunLength(lines, i + 3, n + 1)).toBe('inconclusive');
    });
    expect([0, 1, 2].map((losses) => packetsToFail(lines, losses))).toEqual([null, null, null]);
  });

  it('takes other risks', () => {
    const lines = runLengthTest(363, 0.01, 0.1);
    close(lines.h1, 1.64385);
    close(lines.h2, 3.22656);
    expect(packetsToPass(lines, 0)).toBe(276);
  });
});

describe('vector 23: transactions', () => {
  const links = [
    { rateBps: 100e6, oneWayDelayMs: 2 },
    { rateBps: 20e6, oneWayDelayMs: 20 },
  ];

  test.each([
    [100, 22.073, 22.073, 44.1459, 22.6521],
    [1000, 22.505, 22.505, 45.0099, 22.2173],
    [64_000, 48.656, 48.5632, 97.2192, 10.286],
    [65_536, 49.2912, 49.2054, 98.4966, 10.1526],
  ])('%d B each way', (bytes, request, reply, whole, perSecond) => {
    const found = transactionTime({ links, requestBytes: bytes, replyBytes: bytes, mssBytes: 1448, headersBytes: 52 });
    close(found.requestMs, request);
    close(found.replyMs, reply);
    close(found.transactionMs, whole);
    close(found.perSecond, perSecond);
  });

  it('times single packets', () => {
    close(packetRoundTripMs(links, 84, 84), 44.0806);
    close(packetRoundTripMs(links, 1500, 52), 44.745);
  });
});
