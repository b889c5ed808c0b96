import type { BeforeAfterInput, SideData } from '../report/before-after/input.js';

/** Two runs as the lab's 200 Mbit/s, 18 ms path gives them, for tests: the shape of real data, not data. */
export function exampleSide(over: Partial<SideData> = {}): SideData {
  const seconds = Array.from({ length: 40 }, (_, i) => i / 4);
  return {
    runId: '01JDZ3V7Q8BEFORE',
    startedAt: '2026-11-30T16:02:11.000Z',
    throughputBps: 75.2e6,
    rttP50Ms: 18.1,
    rttLoadedMeanMs: 18.3,
    windowMaxBytes: 174_080,
    cwndMaxBytes: 612_504,
    retransmits: 0,
    congestionControl: 'cubic',
    limitedReceiveWindow: 0.973,
    limitedSendBuffer: 0,
    throughputSeries: seconds.map((tS) => ({ tS, bps: 75.2e6 + 0.8e6 * Math.sin(tS * 5) })),
    windowSeries: seconds.map((tS) => ({ tS, bytes: tS < 0.5 ? 65_536 + tS * 217_088 : 174_080 })),
    inFlightSeries: seconds.map((tS) => ({ tS, bytes: Math.min(14_480 * 2 ** (tS * 10), 173_760) })),
    tcpRmemMaxBytes: 262_144,
    kernel: '6.18.5',
    tools: { iperf3: '3.12', ping: 'iputils 20221126', ss: 'iproute2-6.1.0' },
    commands: [
      { end: 'near', argv: ['ping', '-n', '-c', '10', '-i', '0.2', '198.51.100.2'] },
      { end: 'far', argv: ['iperf3', '-s', '-1', '-p', '20123', '-B', '198.51.100.2'] },
      {
        end: 'near',
        argv: ['iperf3', '-c', '198.51.100.2', '-p', '20123', '-t', '10', '-O', '2', '-C', 'cubic', '-J'],
      },
    ],
    reasons: {},
    ...over,
  };
}

export function exampleInput(over: Partial<BeforeAfterInput> = {}): BeforeAfterInput {
  const seconds = Array.from({ length: 40 }, (_, i) => i / 4);
  return {
    title: 'Before and after a larger receive window',
    path: { name: 'lab-a-to-lab-b', committedRateBps: 200e6, rateLayer: 'ip', expectedRttMs: 18 },
    lab: { rateBps: 200e6, rttMs: 18 },
    generatedAt: '2026-11-30T16:03:02.000Z',
    change: 'net.ipv4.tcp_rmem maximum on the receiver 262144 -> 33554432',
    before: exampleSide(),
    after: exampleSide({
      runId: '01JDZ3W9T2AFTER',
      startedAt: '2026-11-30T16:02:38.000Z',
      throughputBps: 191.4e6,
      rttLoadedMeanMs: 27.4,
      windowMaxBytes: 3_145_728,
      cwndMaxBytes: 941_200,
      retransmits: 38,
      limitedReceiveWindow: 0,
      throughputSeries: seconds.map((tS) => ({
        tS,
        bps: tS < 0.5 ? 120e6 + tS * 140e6 : 191.6e6 + 1.2e6 * Math.sin(tS * 3),
      })),
      windowSeries: seconds.map((tS) => ({ tS, bytes: Math.min(65_536 * 2 ** (tS * 3), 3_145_728) })),
      inFlightSeries: seconds.map((tS) => ({
        tS,
        bytes: tS < 0.6 ? 14_480 * 2 ** (tS * 9) : 560_000 + 160_000 * ((tS % 3) / 3),
      })),
      tcpRmemMaxBytes: 33_554_432,
    }),
    notes: ['The path is emulated: a link of 200 Mbit/s and 18 ms made of network namespaces on this machine.'],
    ...over,
  };
}
