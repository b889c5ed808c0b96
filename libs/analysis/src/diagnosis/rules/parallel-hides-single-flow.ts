import { wayOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { ratioOf } from '../numbers.js';
import { mbps, times } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** A sum this much above what one stream gets hides what one application feels. */
const HIDES = 1.5;

/**
 * Several streams together look fine while one alone, as most applications open it, is slow. Evidence: the sum of a parallel
 * test by what one stream got the same way, with the same window and congestion control.
 */
export const parallelHidesSingleFlow: Rule = {
  code: 'parallel-hides-single-flow',
  owner: 'unknown',
  effect: 'condition',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow' || subject.flow.streams === 1) return null;
    const { flow } = subject;
    const alike = leg.flows.filter(
      (other) =>
        other.streams === 1 &&
        other.throughputBps !== undefined &&
        wayOf(other) === wayOf(flow) &&
        other.asked.windowBytes === flow.asked.windowBytes &&
        other.congestionControl === flow.congestionControl,
    );
    const single = alike.find(({ step }) => step === flow.step) ?? alike[0];
    const ratio = ratioOf(flow.throughputBps, single?.throughputBps);
    const numbers = {
      measuredBps: flow.throughputBps,
      singleBps: single?.throughputBps,
      ratioToSingle: ratio,
      streams: flow.streams,
    };
    if (ratio === undefined)
      return cannotTell(numbers, ['what one stream gets the same way'], ['a single-stream test']);
    return ratio >= HIDES ? yes(numbers) : no(numbers);
  },
  prose: ({ evidence: e }) =>
    `${times(e.streams)} streams together get ${mbps(e.measuredBps)}, ${times(e.ratioToSingle)} times what one alone gets (${mbps(e.singleBps)}): the sum hides what an application with one connection feels. Judge the path by the single stream.`,
};
