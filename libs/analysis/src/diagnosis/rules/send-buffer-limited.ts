import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { bytes, mbps, ms, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { receiveWindowLimit, sendBufferLimit } from '../window-limits.js';

/**
 * The sender's own buffer holds too little: the maximum of its `tcp_wmem` (ip-sysctl.rst). Evidence: tcpi_sndbuf_limited in
 * most of the busy time; else the flow fills buffer * 8 / RTT while nothing is lost and no queue grows. A buffer that the
 * application set is another rule's.
 */
export const sendBufferLimited: Rule = {
  code: 'send-buffer-limited',
  owner: 'our-host',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const limit = sendBufferLimit(view);
    const numbers = { ...limit.numbers, tcpWmemMaxBytes: subject.flow.hosts.sender?.snapshot?.tcpWmem?.maxBytes };
    if (view.measuredBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if (limit.binds === 'cannot-tell')
      return cannotTell(numbers, limit.missing, ['repeat the test with ss on the sending host']);
    const windowComesFirst = view.sendBufferShare === undefined && receiveWindowLimit(view).binds === 'yes';
    if (limit.binds === 'no' || windowComesFirst || subject.flow.asked.windowBytes !== undefined)
      return no(numbers, limit.ceilingBps);
    return yes(numbers, limit.ceilingBps);
  },
  prose: ({ evidence: e, predictedCeilingBps }) =>
    `The sender's own buffer holds the flow back${e.sendBufferShare === undefined ? '' : ` in ${percent(e.sendBufferShare)} of its busy time`}: at most ${bytes(e.inFlightMaxBytes ?? e.sendBufferBytes)} in flight per ${ms(e.rttMs)} allow ${mbps(predictedCeilingBps)}. Raise the maximum of net.ipv4.tcp_wmem on the sending host.`,
};
