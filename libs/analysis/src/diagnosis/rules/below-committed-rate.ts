import { atContractLayer, udpCarriedBps } from '../contract.js';
import type { LegFacts, UdpFacts, UdpStepFacts } from '../facts.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { greatestOf, known, productOf, sumOf } from '../numbers.js';
import { packetsOf } from '../policer.js';
import { mbps, percent } from '../prose/words.js';
import type { Rule, Subject } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';
import { hostCpuLimited } from './host-cpu-limited.js';

/** What is measured may fall this short before it is a breach: headers of other kinds, and the last packets of a test. */
const SHORT = 0.95;
/** When more of the lost datagrams were lost at the receiving host, the loads say little about the path. */
const LOST_AT_HOST = 0.2;

/**
 * The path carries less than its contract promises, compared at the contract's layer. Evidence: UDP that found a bottleneck,
 * or several flows together, with nothing at the hosts holding them. One slow flow is no evidence against a carrier.
 */
export const belowCommittedRate: Rule = {
  code: 'below-committed-rate',
  owner: 'path',
  effect: 'condition',
  about: ['udp', 'flow'],
  judge(subject, leg) {
    const committedBps = leg.path.committedRateBps;
    if (committedBps === undefined || (subject.about !== 'udp' && subject.about !== 'flow')) return null;
    if (subject.about === 'flow' ? viewOf(subject.flow, leg).way === 'reverse' : subject.udp.direction === 'reverse')
      return null;
    const carriedBps = carriedOf(subject, leg);
    const best = greatestOf(
      known([
        carriedBps,
        ...leg.flows.map((flow) => atContractLayer.tcp(flow.throughputBps, leg)),
        ...leg.udp.map((udp) => atContractLayer.udp(udpCarriedBps(udp), udp, leg)),
      ]),
    );
    const numbers = {
      carriedBps,
      committedBps,
      bestBps: best,
      ratioToCommitted: carriedBps === undefined ? undefined : carriedBps / committedBps,
    };
    if (carriedBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if ((best ?? carriedBps) >= committedBps * SHORT) return no(numbers);
    const next = ['a udp-step-up test up to the committed rate: one flow is no evidence against a carrier'];
    if (subject.about === 'flow') {
      if (subject.flow.streams === 1) return cannotTell(numbers, ['evidence of UDP or of several flows'], next);
      return hostHolds(subject, leg)
        ? cannotTell(numbers, ['several flows that no host holds back'], next)
        : yes(numbers);
    }
    const { udp } = subject;
    if (udp.bottleneckBps === undefined && !udp.steps.some((step) => (step.lossRatio ?? 0) > 0.02))
      return cannotTell(numbers, ['a load that the path did not carry'], next);
    return lostAtHost(udp) > LOST_AT_HOST
      ? cannotTell(numbers, ['UDP without losses at the receiving host'], ['raise net.core.rmem_max there and repeat'])
      : yes(numbers);
  },
  prose: ({ evidence: e }) =>
    `The path carries ${mbps(e.carriedBps)} of the ${mbps(e.committedBps)} committed (${percent(e.ratioToCommitted)}), compared at the contract's layer, and nothing at the hosts holds it. Take this to the carrier with the raw output.`,
};

/** Which part of the lost datagrams had crossed the path: the receiving socket had no room for them (udp(7), RcvbufErrors). */
function lostAtHost({ steps }: UdpFacts): number {
  const overflow = sumOf(steps.map((step) => step.hosts.receiver?.moved?.udp?.['Udp.RcvbufErrors'] ?? 0)) ?? 0;
  const lost = sumOf(known(steps.map((step) => lostDatagrams(step))));
  return overflow === 0 ? 0 : overflow / Math.max(overflow, lost ?? 0);
}

const lostDatagrams = (step: UdpStepFacts): number | undefined => productOf(packetsOf(step), step.lossRatio);

const carriedOf = (subject: Subject, leg: LegFacts): number | undefined =>
  subject.about === 'udp'
    ? atContractLayer.udp(udpCarriedBps(subject.udp), subject.udp, leg)
    : subject.about === 'flow'
      ? atContractLayer.tcp(subject.flow.throughputBps, leg)
      : undefined;

/** Unless it is known that no host holds the flows, it is taken that one may. */
const hostHolds = (subject: Subject & { readonly about: 'flow' }, leg: LegFacts): boolean => {
  const view = viewOf(subject.flow, leg);
  const lossBound = view.isLossBased !== false && (view.lossRatio ?? 0) > 1e-4 && (view.rttGrowthRatio ?? 0) < 0.1;
  return (
    isHeldByWindow(view) ||
    view.receiveWindowShare === undefined ||
    lossBound ||
    hostCpuLimited.judge(subject, leg)?.holds !== 'no'
  );
};
