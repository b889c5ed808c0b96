import { emptySide, type RatePoint, type SideData, type SizePoint } from '@plumbline/analysis';
import type { Leg, Step } from '@plumbline/api-client';
import type { HostSnapshot } from '@plumbline/model';
import { NULL_REASON_TEXT, type ShownMetric } from '../output/metric-text.js';
import type { SampleEvent } from '../runs/run-event.js';
import { reasonText } from '../runs/run-text.js';

/** What one run of the demonstration left behind, as the API gives it. */
export interface RunEvidence {
  readonly runId: string;
  readonly startedAt: string;
  readonly leg: Leg;
  /** What the sending socket showed while the test ran, every 250 ms. */
  readonly samples: readonly SampleEvent[];
  /** What the test asked the sender for. */
  readonly congestionControl?: string | undefined;
  /** Facts of the two hosts; absent when they could not be read. */
  readonly near?: HostSnapshot | undefined;
  readonly far?: HostSnapshot | undefined;
  /** Seconds at the start that the test leaves out. */
  readonly omitS: number;
}

/** The numbers and series that the report takes, out of a run's record. Pure. What is not known is null with its reason. */
export function sideData(evidence: RunEvidence): SideData {
  const { runId, startedAt, leg, near, far } = evidence;
  const ping = leg.steps.find((s) => s.kind === 'rtt');
  const stream = leg.steps.find((s) => s.kind === 'single-stream');
  if (stream === undefined) return emptySide(runId, startedAt, 'the plan has no single-stream test');
  const reasons: Record<string, string> = {};
  const value = (field: string, step: Step | undefined, name: string): number | null => {
    const found = step?.metrics.find((m) => m.name === name);
    if (found?.value === undefined || found.value === null) reasons[field] = whyMissing(step, found);
    return found?.value ?? null;
  };
  return {
    runId,
    startedAt,
    throughputBps: value('throughputBps', stream, 'throughput'),
    rttP50Ms: value('rttP50Ms', ping, 'rtt.p50'),
    rttLoadedMeanMs: value('rttLoadedMeanMs', stream, 'rtt.mean'),
    windowMaxBytes: value('windowMaxBytes', stream, 'window.max'),
    cwndMaxBytes: value('cwndMaxBytes', stream, 'cwnd.max'),
    retransmits: value('retransmits', stream, 'retransmits'),
    congestionControl:
      evidence.samples.findLast((s) => s.congestionControl)?.congestionControl ?? evidence.congestionControl ?? null,
    limitedReceiveWindow: value('limitedReceiveWindow', stream, 'limited.receive-window'),
    limitedSendBuffer: value('limitedSendBuffer', stream, 'limited.send-buffer'),
    ...series(evidence.samples, evidence.omitS),
    tcpRmemMaxBytes: far?.tcpRmem?.maxBytes ?? null,
    kernel: far?.kernel ?? near?.kernel ?? null,
    tools: { ...far?.tools, ...near?.tools },
    commands: [...(ping?.attempts ?? []), ...stream.attempts].flatMap((a) => a.commands),
    reasons,
  };
}

function whyMissing(step: Step | undefined, metric: ShownMetric | undefined): string {
  if (step === undefined) return 'the plan has no test for it';
  if (metric?.reason !== undefined && metric.reason !== 'attempt-failed') return NULL_REASON_TEXT[metric.reason];
  const failed = step.attempts.findLast((a) => a.reason !== undefined);
  if (failed?.reason !== undefined) return reasonText(failed.reason);
  if (step.reason !== undefined) return reasonText(step.reason);
  return 'the test did not report it';
}

type Series = Pick<SideData, 'throughputSeries' | 'windowSeries' | 'inFlightSeries'>;

/** Seconds count from the end of the omitted part, as in the report's pictures. */
function series(samples: readonly SampleEvent[], omitS: number): Series {
  const near = samples
    .filter((s) => s.end === 'near')
    .map((s) => ({ ...s, tS: s.elapsedMs / 1000 - omitS }))
    .filter((s) => s.tS >= 0);
  const sizes = (of: (s: SampleEvent) => number | null | undefined): SizePoint[] =>
    near.flatMap((s) => {
      const bytes = of(s);
      return bytes === null || bytes === undefined ? [] : [{ tS: s.tS, bytes }];
    });
  return {
    throughputSeries: near.flatMap((s): RatePoint[] => (s.rateBps === null ? [] : [{ tS: s.tS, bps: s.rateBps }])),
    windowSeries: sizes((s) => s.sndWndBytes),
    inFlightSeries: sizes((s) => s.inFlightBytes),
  };
}
