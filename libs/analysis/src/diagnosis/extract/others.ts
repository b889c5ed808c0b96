import type { End } from '@plumbline/model';
import type { AttemptEvidence, LegEvidence, StepEvidence } from '../evidence.js';
import type { FlowDirection, PathMtuFacts, RttFacts, TransactionFacts, UdpFacts, UdpStepFacts } from '../facts.js';
import { greatestOf, known, leastOf, medianOf } from '../numbers.js';
import { askedOf } from './asked.js';
import { hostOf } from './flows.js';
import { cellKey, groupedBy, metricValueOf, representativeOf, withoutRepeat } from './values.js';

const of = (step: StepEvidence, measurement: string): AttemptEvidence[] =>
  step.attempts.filter((attempt) => attempt.measurement === measurement && attempt.outcome === 'completed');

/** `startsAt: far` of a test without a direction of its own: it went the other way. */
function directionOf(attempt: AttemptEvidence): FlowDirection {
  const told = attempt.cell.direction ?? askedOf(attempt.spec).direction;
  return told === 'reverse' || (told === undefined && attempt.startsAt === 'far') ? 'reverse' : 'forward';
}

/** UDP loads by direction, each load once: the repeat of median delivery. One that failed tells what was asked for all the same. */
export function udpOf(step: StepEvidence): UdpFacts[] {
  const loads = step.attempts.filter(({ measurement }) => measurement === 'udp-load');
  return groupedBy(loads, directionOf).map((attempts) => {
    const direction = attempts[0] ? directionOf(attempts[0]) : 'forward';
    const steps = groupedBy(attempts, cellKey)
      .flatMap((repeats) => representativeOf(repeats, (a) => metricValueOf(a.metrics, 'delivered')) ?? [])
      .flatMap((attempt) => udpStepOf(step, attempt, direction))
      .sort((a, b) => a.offeredBps - b.offeredBps);
    const label = attempts[0]?.cell.direction;
    return {
      step: step.index,
      direction,
      steps,
      highestCleanBps: metricValueOf(step.metrics, 'highest-clean-rate', label),
      bottleneckBps: metricValueOf(step.metrics, 'bottleneck-rate', label),
    };
  });
}

function udpStepOf(step: StepEvidence, attempt: AttemptEvidence, direction: FlowDirection): UdpStepFacts[] {
  const asked = askedOf(attempt.spec);
  const value = (name: string): number | undefined => metricValueOf(attempt.metrics, name);
  const offeredBps = value('offered') ?? asked.rateBps ?? Number(attempt.cell.offeredBps);
  if (!(offeredBps > 0) || !Number.isFinite(offeredBps)) return [];
  const sending: End =
    attempt.ends.find(({ role }) => role === 'sender')?.end ?? (direction === 'forward' ? 'near' : 'far');
  return [
    {
      step: step.index,
      attempt: attempt.n,
      direction,
      offeredBps,
      deliveredBps: value('delivered'),
      deliveredSteadyBps: value('delivered.steady'),
      lossRatio: value('loss'),
      jitterMs: value('jitter'),
      reorderedPackets: value('reordered'),
      payloadBytes: asked.payloadBytes,
      durationS: asked.durationS,
      hosts: { sender: hostOf(attempt, sending), receiver: hostOf(attempt, sending === 'near' ? 'far' : 'near') },
    },
  ];
}

export function rttsOf(step: StepEvidence): RttFacts[] {
  const attempt = representativeOf(of(step, 'rtt'), (a) => metricValueOf(a.metrics, 'rtt.p50'));
  if (!attempt) return [];
  const value = (name: string): number | undefined => metricValueOf(attempt.metrics, name);
  return [
    {
      step: step.index,
      attempt: attempt.n,
      minMs: value('rtt.min'),
      meanMs: value('rtt.mean'),
      p50Ms: value('rtt.p50'),
      p95Ms: value('rtt.p95'),
      maxMs: value('rtt.max'),
      lossRatio: value('loss'),
      jitterMs: value('jitter'),
    },
  ];
}

export function transactionsOf(step: StepEvidence): TransactionFacts[] {
  return groupedBy(of(step, 'transactions'), cellKey).flatMap((repeats) => {
    const attempt = representativeOf(repeats, (a) => metricValueOf(a.metrics, 'transactions-per-second'));
    if (!attempt) return [];
    const asked = askedOf(attempt.spec);
    const value = (name: string): number | undefined => metricValueOf(attempt.metrics, name);
    return [
      {
        step: step.index,
        attempt: attempt.n,
        labels: withoutRepeat(attempt.cell),
        perSecond: value('transactions-per-second'),
        latencyMeanMs: value('latency.mean'),
        latencyIdleMs: value('latency.idle'),
        baselineRttMs: value('rtt.baseline'),
        requestBytes: asked.requestBytes,
        replyBytes: asked.replyBytes,
        underLoad: asked.underLoad ?? false,
      },
    ];
  });
}

/**
 * Rounds of one path MTU test belong together, so the step's own numbers count. What was to be expected: the MTU of the
 * interface that sends, unless the contract promises less.
 */
export function pathMtusOf(step: StepEvidence, leg: LegEvidence): PathMtuFacts[] {
  return groupedBy(of(step, 'path-mtu'), directionOf).flatMap((attempts) => {
    const [attempt] = attempts;
    if (!attempt) return [];
    const value = (name: string): number | undefined =>
      (step.kind === 'path-mtu' ? metricValueOf(step.metrics, name, attempt.cell.direction) : undefined) ??
      medianOf(known(attempts.map((a) => metricValueOf(a.metrics, name))));
    const hole = value('black-hole');
    const local = greatestOf(known([hostOf(attempt, 'near')?.snapshot?.interface?.mtu]));
    return [
      {
        step: step.index,
        attempt: attempt.n,
        direction: directionOf(attempt),
        pathMtuBytes: value('path-mtu'),
        blackHole: hole === undefined ? undefined : hole >= 1,
        expectedBytes: leastOf(known([local, leg.path.mtu])),
      },
    ];
  });
}
