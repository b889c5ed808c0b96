import type { Finding } from '@plumbline/model';
import { cubicBps, mathisBps } from '../../theory/loss-response.js';
import { provenCapacityBps } from '../capacity.js';
import type { FlowFacts } from '../facts.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, theory, yes } from '../judgement.js';
import { linkRateOf } from '../link-rate.js';
import { known, sumOf } from '../numbers.js';
import { policerSigns } from '../policer.js';
import { mbps, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';

/** Fewer losses than this make no law. */
const FEW = 3;
/** Timeouts take from what theory allows; losses in bursts, which count as one, add to it (FIELD-CASES B6: up to 4 times). */
const BAND = { below: 0.4, above: 4 };
/** From this growth of the round trip on, losses come from a queue that is full. */
const FULL_QUEUE = 0.3;

/** When the receiving host dropped this share of what was lost, the loss is its own. */
const LOST_AT_HOST = 0.3;
/** What an interface counts when packets that reached it were dropped (Documentation/networking/statistics.rst). */
const DROPS = ['rx_missed_errors', 'rx_fifo_errors', 'rx_dropped', 'rx_dropped_or_missed'] as const;

/**
 * Loss keeps a loss-based congestion control from filling the path: what it may have is Mathis to CUBIC's response (Mathis
 * et al., 1997; RFC 9438, section 5). Evidence: segments lost while the round trip stays low, a rate in the band of theory
 * and below what the link carries. It carries no ceiling: the band is wide. BBR does not slow down for such loss.
 */
export const lossLimited: Rule = {
  code: 'loss-limited',
  owner: 'path',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const { measuredBps, perStreamBps, lossRatio, losses, rttMs, rttGrowthRatio } = view;
    const mss = subject.flow.sender?.mssBytes ?? 1448;
    const reno = theory(() =>
      rttMs === undefined || lossRatio === undefined ? null : mathisBps(mss, rttMs, lossRatio),
    );
    const cubic = theory(() =>
      rttMs === undefined || lossRatio === undefined ? null : cubicBps(mss, rttMs, lossRatio),
    );
    const capacity = provenCapacityBps(leg, view) ?? linkRateOf(view, leg)?.bps;
    const numbers = {
      measuredBps,
      lossRatio,
      retransmits: subject.flow.retransmits,
      rttMs,
      idleRttMs: view.idleRttMs,
      mathisBps: reno,
      cubicBps: cubic,
      streams: subject.flow.streams,
      capacityBps: capacity,
      receiverDrops: dropsOf(subject.flow),
    };
    if (measuredBps === undefined || perStreamBps === undefined || lossRatio === undefined)
      return cannotTell(
        numbers,
        ['throughput and retransmissions of the sender'],
        ['repeat the test with ss on the sending host'],
      );
    if (lossRatio === 0 || (losses ?? FEW) < FEW || isHeldByWindow(view)) return no(numbers);
    if (view.isLossBased === undefined)
      return cannotTell(numbers, ['congestion control that the sender ran'], ['a congestion-control-matrix test']);
    if (!view.isLossBased) return no(numbers);
    if (reno === undefined || cubic === undefined || rttGrowthRatio === undefined)
      return cannotTell(numbers, ['round-trip time under load and idle'], ['an rtt test; ss on the sending host']);
    const fills = capacity !== undefined && measuredBps >= capacity * 0.85;
    const low = Math.min(reno, cubic) * BAND.below;
    const high = Math.max(reno, cubic) * BAND.above;
    if (fills || rttGrowthRatio >= FULL_QUEUE || perStreamBps < low || perStreamBps > high) return no(numbers);
    return policerSigns(view, leg).holds === 'yes' ? no(numbers) : yes(numbers);
  },
  ownerBy: (finding) => (lostAtHost(finding) ? 'our-host' : undefined),
  prose: (finding) => {
    const { evidence: e } = finding;
    if (lostAtHost(finding))
      return `Loss holds the flow back: ${percent(e.lossRatio)} of the segments were lost, and the receiving host's interface dropped ${e.receiverDrops} packets meanwhile. Read ethtool -S and -g there before blaming the path; enlarge its receive ring (ethtool -G) and free the CPU that serves it.`;
    return `Loss holds the flow back: ${percent(e.lossRatio)} of the segments were lost while no queue stood, and theory allows a loss-based flow ${mbps(e.mathisBps)} (Reno) to ${mbps(e.cubicBps)} (CUBIC) a stream. Find where the path loses packets; BBR on the sender, or several streams, feel it less.`;
  },
};

/** Of the losses, so many were seen at the receiving host's interface. Its counters also count what was not of this flow. */
const lostAtHost = ({ evidence: { receiverDrops = 0, retransmits = 0 } }: Finding): boolean =>
  receiverDrops > 0 && receiverDrops >= retransmits * LOST_AT_HOST;

function dropsOf(flow: FlowFacts): number | undefined {
  const { moved } = flow.hosts.receiver ?? {};
  const counts = known(DROPS.map((name) => moved?.interface?.[name]));
  return counts.length > 0 ? sumOf(counts) : undefined;
}
