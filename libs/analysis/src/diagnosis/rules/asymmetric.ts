import { viewOf, wayOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { mbps, times } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** One way this much faster than the other. */
const DIFFERS = 1.5;

/**
 * The two directions differ. Evidence: the same test both ways. By itself no fault: many links are sold so; a strong
 * difference with errors on an interface is a duplex mismatch (FIELD-CASES B27).
 */
export const asymmetric: Rule = {
  code: 'asymmetric',
  owner: 'path',
  effect: 'condition',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const other = leg.flows
      .filter(
        (candidate) =>
          wayOf(candidate) !== wayOf(flow) &&
          candidate.streams === flow.streams &&
          candidate.asked.windowBytes === flow.asked.windowBytes &&
          candidate.asked.congestionControl === flow.asked.congestionControl,
      )
      .sort((a, b) => Number(b.step === flow.step) - Number(a.step === flow.step))[0];
    const errors = sum(flow.hosts.sender?.moved?.interface, flow.hosts.receiver?.moved?.interface);
    const numbers = { measuredBps: view.measuredBps, otherWayBps: other?.throughputBps, interfaceErrors: errors };
    if (!view.measuredBps || !other?.throughputBps)
      return cannotTell(numbers, ['the same test the other way'], ['the same test with direction both']);
    const ratio = Math.max(view.measuredBps / other.throughputBps, other.throughputBps / view.measuredBps);
    const told = { ...numbers, ratioOfWays: ratio };
    return ratio >= DIFFERS ? yes(told) : no(told);
  },
  prose: ({ evidence: e }) =>
    `The two directions differ ${times(e.ratioOfWays)} times: ${mbps(e.measuredBps)} this way, ${mbps(e.otherWayBps)} the other.${(e.interfaceErrors ?? 0) > 0 ? ` ${e.interfaceErrors} errors at an interface came with it: look for a duplex mismatch or a bad cable.` : ' Compare with the contract: a difference may be what was sold.'}`,
};

const ERRORS = ['rx_errors', 'tx_errors', 'rx_crc_errors', 'rx_framing_errors', 'collisions', 'tx_carrier_errors'];
const sum = (...groups: readonly (Record<string, number> | undefined)[]): number | undefined => {
  const values = groups.flatMap((group) => ERRORS.flatMap((name) => group?.[name] ?? []));
  return values.length > 0 ? values.reduce((a, b) => a + b, 0) : undefined;
};
