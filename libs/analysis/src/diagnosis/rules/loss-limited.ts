import { cubicBps, mathisBps } from '../../theory/loss-response.js';
import { provenCapacityBps } from '../capacity.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, theory, yes } from '../judgement.js';
import { linkRateOf } from '../link-rate.js';
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
  prose: ({ evidence: e }) =>
    `Loss holds the flow back: ${percent(e.lossRatio)} of the segments were lost while no queue stood, and theory allows a loss-based flow ${mbps(e.mathisBps)} (Reno) to ${mbps(e.cubicBps)} (CUBIC) a stream. Find where the path loses packets; BBR on the sender, or several streams, feel it less.`,
};
