import type { AttemptOutput, PhaseOutput, Reading } from '../../ability.js';
import {
  endsOf,
  payloadRateBps,
  rfc6349Remarks,
  summariseSocket,
  type ThroughputInterval,
  type ThroughputResult,
  type ThroughputSpec,
  throughputMetricsOf,
} from '../../measurements/throughput/index.js';
import { parsePing } from '../ping/parse.js';
import { endingOf } from './ending.js';
import { isDataSocket } from './near.js';
import { type NuttcpOutput, parseNuttcp } from './parse.js';

/** Reads what a throughput attempt by nuttcp left behind: the receiver's count, or nothing. Never throws. */
export function read(spec: ThroughputSpec, output: AttemptOutput): Reading {
  const client = output.phases.find(({ end, name }) => end === 'near' && name === 'test');
  const parsed = client && parseNuttcp(client.stdout, client.stderr);
  const ending = endingOf(spec, output.ending, client, parsed);
  const result = client && parsed && (parsed.total ?? parsed.intervals[0]) ? resultOf(spec, output, parsed) : undefined;
  const metrics = throughputMetricsOf(result, ending);
  const notes = [...(parsed?.notes ?? []), ...remarks(parsed, result), ...rfc6349Remarks(result, metrics)];
  return { ending, metrics, result: result ? { ...result, ends: endsOf(result, metrics) } : null, notes };
}

function resultOf(spec: ThroughputSpec, output: AttemptOutput, { total, intervals }: NuttcpOutput): ThroughputResult {
  const { sender, receiver } = socketsOf(spec, output);
  return {
    tool: 'nuttcp',
    // Both at once was refused before.
    direction: spec.direction === 'reverse' ? 'reverse' : 'forward',
    durationS: spec.durationS,
    omitS: 0,
    versions: {},
    mssBytes: sender?.mssBytes,
    congestionControl: { sender: sender?.congestionControl, receiver: receiver?.congestionControl },
    buffers: {},
    totals: total ? { receiver: { bytes: total.bytes, durationS: total.durationS, rateBps: total.rateBps } } : {},
    intervals: { sender: [], receiver: intervalsOf(intervals) },
    // Its own count of retransmissions is not used: 6.1.2 prints 0 where the kernel counted over a hundred.
    cpu: { sender: total?.cpuTransmitter, receiver: total?.cpuReceiver },
    sockets: { sender, receiver },
    baseline: baselineOf(output.phases),
    idealRateBps: idealRateOf(spec, output),
  };
}

function intervalsOf(intervals: NuttcpOutput['intervals']): ThroughputInterval[] {
  let startS = 0;
  return intervals.map(({ bytes, durationS, rateBps }) => {
    const interval = { startS, endS: startS + durationS, durationS, bytes, rateBps, omitted: false };
    startS += durationS;
    return interval;
  });
}

function socketsOf(spec: ThroughputSpec, { samples, phases }: AttemptOutput): ThroughputResult['sockets'] {
  const data = samples.filter((sample) => isDataSocket(sample, phases));
  const [near, far] = (['near', 'far'] as const).map((end) =>
    summariseSocket(
      data.filter((s) => s.end === end),
      spec,
    ),
  );
  return spec.direction === 'forward' ? { sender: near, receiver: far } : { sender: far, receiver: near };
}

function baselineOf(phases: readonly PhaseOutput[]): ThroughputResult['baseline'] {
  const phase = phases.find(({ end, name }) => end === 'near' && name === 'baseline');
  const ping = phase && parsePing(phase.stdout);
  if (ping?.sent === undefined) return undefined;
  const rtts = ping.replies.flatMap(({ rttMs }) => rttMs ?? []);
  const counted = { sent: ping.sent, received: ping.replies.length };
  if (rtts.length === 0) return counted;
  const meanMs = rtts.reduce((sum, rtt) => sum + rtt, 0) / rtts.length;
  return { ...counted, minMs: rtts.reduce((a, b) => Math.min(a, b)), meanMs };
}

/** RFC 6349 section 4.1.1 leaves TCP options out of the ideal. */
function idealRateOf({ committed }: ThroughputSpec, { phases }: AttemptOutput): number | undefined {
  if (!committed) return undefined;
  const peer = phases.find(({ end, name }) => end === 'near' && name === 'test')?.argv.at(-1) ?? '';
  const framing = { ipVersion: peer.includes(':') ? 6 : 4, timestamps: false } as const;
  return payloadRateBps(committed.rateBps, committed.layer, committed.mtuBytes, framing);
}

function remarks(parsed: NuttcpOutput | undefined, result: ThroughputResult | undefined): string[] {
  const remarks: string[] = [];
  if (result)
    remarks.push("nuttcp's time ends with the last byte, so slow start and the drain of the queue are in its rate");
  const [said, counted] = [parsed?.total?.retransmits, result?.sockets.sender?.segmentsRetransmitted];
  if (said !== undefined && counted !== undefined && said !== counted)
    remarks.push(`nuttcp says ${said} retransmitted segments; the kernel's counter says ${counted} and is used`);
  return remarks;
}
