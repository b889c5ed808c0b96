import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { mbps, ms } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { lacksScaling, receiveWindowLimit, unscaledCeilingBps } from '../window-limits.js';

/** A flow from here on fills the unscaled window. */
const FILLS = 0.7;

/**
 * The window scale option was not negotiated: a host has tcp_window_scaling off, or something on the path strips the option,
 * so no window above 65,535 B can be advertised (RFC 7323, section 2.2). Evidence: sockets read by ss without `wscale`, and
 * a flow that waits for the window or fills 65,535 * 8 / RTT.
 */
export const windowScalingMissing: Rule = {
  code: 'window-scaling-missing',
  owner: 'unknown',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const ceiling = unscaledCeilingBps(view);
    const missing = lacksScaling(view);
    const limit = receiveWindowLimit(view);
    const own = subject.flow.hosts;
    const numbers = {
      ...limit.numbers,
      senderScaling: settingOf(own.sender?.snapshot?.sysctls),
      receiverScaling: settingOf(own.receiver?.snapshot?.sysctls),
    };
    if (missing === undefined || view.measuredBps === undefined)
      return cannotTell(
        numbers,
        ['window scale of the sockets'],
        ['repeat the test with ss on both hosts, or with capture'],
      );
    if (!missing) return no(numbers);
    if (ceiling === undefined)
      return cannotTell(numbers, ['round-trip time under load'], ['repeat the test with ss on the sending host']);
    const fills = view.measuredBps >= ceiling * FILLS && view.measuredBps <= ceiling * 1.15;
    return limit.binds === 'yes' || fills ? yes(numbers, ceiling) : no(numbers, ceiling);
  },
  prose: ({ evidence: e, predictedCeilingBps }) =>
    `The window scale option was not negotiated, so the window ends at 65,535 B: at ${ms(e.rttMs)} that allows ${mbps(predictedCeilingBps)}. ${e.senderScaling === 0 || e.receiverScaling === 0 ? 'A host has net.ipv4.tcp_window_scaling = 0: set it to 1.' : 'Look for a firewall or a proxy on the path that strips TCP options, and for net.ipv4.tcp_window_scaling = 0 on either host.'}`,
};

const settingOf = (sysctls: Record<string, string> | undefined): number | undefined => {
  const text = sysctls?.['net.ipv4.tcp_window_scaling'];
  return text === undefined || text.trim() === '' ? undefined : Number(text);
};
