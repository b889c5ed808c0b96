import type { Leg, Step } from '@plumbline/api-client';
import { metric, missing } from '@plumbline/model';
import { describe, expect, it } from 'vitest';
import type { SampleEvent } from '../runs/run-event.js';
import { type RunEvidence, sideData } from './side-data.js';

const step = (kind: string, metrics: Step['metrics'], over: Partial<Step> = {}): Step => ({
  kind,
  state: 'succeeded',
  startedAt: null,
  endedAt: null,
  metrics,
  findings: [],
  attempts: [],
  ...over,
});
const leg = (steps: Step[]): Leg => ({
  path: 'demo-path',
  state: 'succeeded',
  verdict: 'none',
  criteria: [],
  startedAt: null,
  endedAt: null,
  steps,
});
const stream = [
  metric('throughput', 'bit/s', 75e6),
  metric('rtt.mean', 'ms', 18.3),
  metric('window.max', 'B', 174_080),
  metric('cwnd.max', 'B', 600_000),
  metric('retransmits', 'segments', 0),
  metric('limited.receive-window', 'ratio', 0.97),
  metric('limited.send-buffer', 'ratio', 0),
];
const sample = (over: Partial<SampleEvent>): SampleEvent => ({
  type: 'sample',
  leg: 0,
  step: 1,
  attempt: 0,
  end: 'near',
  elapsedMs: 1250,
  rateBps: 75e6,
  rttMs: 18,
  cwndBytes: 600_000,
  sndWndBytes: 174_080,
  retransmits: 0,
  ...over,
});
const evidence = (over: Partial<RunEvidence> = {}): RunEvidence => ({
  runId: 'r',
  startedAt: '2026-11-30T16:00:00.000Z',
  leg: leg([step('rtt', [metric('rtt.p50', 'ms', 18.1)]), step('single-stream', stream)]),
  samples: [],
  omitS: 1,
  congestionControl: 'cubic',
  ...over,
});

describe("a run's side of the report", () => {
  it('takes each number from its own test: the rtt of the ping is not that of the stream', () => {
    const data = sideData(evidence());
    expect(data).toMatchObject({
      throughputBps: 75e6,
      rttP50Ms: 18.1,
      rttLoadedMeanMs: 18.3,
      windowMaxBytes: 174_080,
      cwndMaxBytes: 600_000,
      retransmits: 0,
      limitedReceiveWindow: 0.97,
      limitedSendBuffer: 0,
      congestionControl: 'cubic',
      reasons: {},
    });
  });

  it('counts seconds from the end of the omitted part, on the sending side only', () => {
    const samples = [
      sample({ elapsedMs: 250 }),
      sample({ elapsedMs: 1250, rateBps: null }),
      sample({ elapsedMs: 1500, sndWndBytes: null, inFlightBytes: 170_000 }),
      sample({ elapsedMs: 1750, end: 'far' }),
    ];
    const data = sideData(evidence({ samples }));
    expect(data.throughputSeries).toEqual([{ tS: 0.5, bps: 75e6 }]);
    expect(data.windowSeries).toEqual([{ tS: 0.25, bytes: 174_080 }]);
    expect(data.inFlightSeries).toEqual([{ tS: 0.5, bytes: 170_000 }]);
  });

  it('says why a number is missing, and never 0', () => {
    const failed = step('single-stream', [missing('throughput', 'bit/s', 'attempt-failed')], {
      state: 'failed',
      attempts: [
        {
          n: 0,
          repeat: 1,
          startedAt: null,
          endedAt: null,
          outcome: 'refused',
          reason: 'tool-missing',
          metrics: [],
          commands: [],
          notes: [],
        },
      ],
    });
    const data = sideData(evidence({ leg: leg([step('rtt', [missing('rtt.p50', 'ms', 'no-reply')]), failed]) }));
    expect(data.throughputBps).toBeNull();
    expect(data.reasons.throughputBps).toContain('not installed');
    expect(data.reasons.rttP50Ms).toBe('nothing was answered');
    expect(data.windowMaxBytes).toBeNull();
  });

  it('takes the limit that the receiver had, not the sender', () => {
    const host = (maxBytes: number, iperf3: string) => ({
      takenAt: '2026-11-30T16:00:00.000Z',
      kernel: '6.18',
      tools: { iperf3 },
      sysctls: {},
      unknown: {},
      tcpRmem: { minBytes: 4096, defaultBytes: 131_072, maxBytes },
    });
    const data = sideData(evidence({ near: host(6_291_456, '3.12'), far: host(262_144, '3.16') }));
    expect(data.tcpRmemMaxBytes).toBe(262_144);
    expect(data.tools).toEqual({ iperf3: '3.12' });
  });

  it('of a plan without a stream is empty, with the reason', () => {
    const data = sideData(evidence({ leg: leg([]) }));
    expect(data.throughputBps).toBeNull();
    expect(data.reasons.throughputBps).toContain('no single-stream');
  });
});
