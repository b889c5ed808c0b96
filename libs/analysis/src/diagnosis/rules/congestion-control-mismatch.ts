import { viewOf, wayOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { greatestOf, known } from '../numbers.js';
import { mbps, times } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';

/** Another algorithm that gets this much more makes the choice a limit. */
const FAR_BELOW = 1.5;

/**
 * The congestion control is not the one asked for, or is one that this path does not suit. Evidence: what the socket ran
 * against what was asked; or, the same way and with as many streams, an algorithm of another family that got 1.5 times as
 * much while this one lost segments and no window held it.
 */
export const congestionControlMismatch: Rule = {
  code: 'congestion-control-mismatch',
  owner: 'our-host',
  effect: 'condition',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const { asked, congestionControl: ran, throughputBps } = flow;
    const base = { measuredBps: throughputBps, lossRatio: view.lossRatio };
    const otherEnd = flow.hosts.receiver?.snapshot?.congestionControl;
    if (ran === undefined)
      return cannotTell(
        base,
        ['congestion control that the sender ran'],
        ['repeat the test with ss on the sending host'],
      );
    if (asked.congestionControl !== undefined && asked.congestionControl !== ran)
      return yes({ ...base, askedIsRun: 0 });
    const others = leg.flows.filter(
      (other) =>
        other !== flow &&
        wayOf(other) === wayOf(flow) &&
        other.streams === flow.streams &&
        other.congestionControl !== undefined &&
        other.congestionControl !== ran &&
        other.asked.windowBytes === flow.asked.windowBytes &&
        other.asked.rateBps === undefined,
    );
    const best = greatestOf(known(others.map((other) => other.throughputBps)));
    const gainRatio = best !== undefined && throughputBps ? best / throughputBps : undefined;
    const endsDiffer = asked.congestionControl === undefined && otherEnd !== undefined && otherEnd !== ran;
    const numbers = { ...base, bestOtherBps: best, gainRatio, endsDiffer: Number(endsDiffer) };
    if (gainRatio === undefined && !endsDiffer) {
      if (view.isLossBased === false || (view.lossRatio ?? 0) < 1e-5) return no(numbers);
      return cannotTell(
        numbers,
        ['the same test with another congestion control'],
        ['a congestion-control-matrix test'],
      );
    }
    const suffers = view.isLossBased === true && (view.lossRatio ?? 0) > 0 && !isHeldByWindow(view);
    return (gainRatio !== undefined && gainRatio >= FAR_BELOW && suffers) || endsDiffer ? yes(numbers) : no(numbers);
  },
  prose: ({ evidence: e }) =>
    e.askedIsRun === 0
      ? 'The sender did not run the congestion control that was asked for. Load its kernel module there, or allow it (net.ipv4.tcp_allowed_congestion_control).'
      : e.gainRatio !== undefined && e.gainRatio >= FAR_BELOW
        ? `Another congestion control gets ${times(e.gainRatio)} times as much on the same path (${mbps(e.bestOtherBps)} against ${mbps(e.measuredBps)}). Set net.ipv4.tcp_congestion_control on the sending host.`
        : 'The two ends have different default congestion controls, so the two directions cannot be compared. Set net.ipv4.tcp_congestion_control alike.',
};
