import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { bytes, mbps, ms, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { lacksScaling, receiveWindowLimit } from '../window-limits.js';

/**
 * The receiver's host advertises too small a window: the maximum of its `tcp_rmem` ends autotuning (ip-sysctl.rst).
 * Evidence: the sender's kernel waited for the window in most of its busy time; else the flow fills window * 8 / RTT while
 * nothing is lost and no queue grows. A window that the application set, or that lacks scaling, is another rule's.
 */
export const receiveWindowLimited: Rule = {
  code: 'receive-window-limited',
  owner: 'our-host',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const limit = receiveWindowLimit(view);
    const numbers = { ...limit.numbers, tcpRmemMaxBytes: subject.flow.hosts.receiver?.snapshot?.tcpRmem?.maxBytes };
    if (view.measuredBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if (limit.binds === 'cannot-tell')
      return cannotTell(numbers, limit.missing, [
        'repeat the test with ss (iproute2 5.18 or newer) on the sending host',
      ]);
    if (limit.binds === 'no' || subject.flow.asked.windowBytes !== undefined || lacksScaling(view) === true)
      return no(numbers, limit.ceilingBps);
    return yes(numbers, limit.ceilingBps);
  },
  prose: ({ evidence: e, predictedCeilingBps }) =>
    `The receiver's window holds the flow back${e.receiveWindowShare === undefined ? '' : ` in ${percent(e.receiveWindowShare)} of the sender's busy time`}: ${bytes(e.windowBytes)} per ${ms(e.rttMs)} round trip allow ${mbps(predictedCeilingBps)}. Raise the maximum of net.ipv4.tcp_rmem on the receiving host.`,
};
