import { udpBottleneckBps, udpIpBps, udpPayloadOf } from '../capacity.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, evidenceOf, no, yes } from '../judgement.js';
import { greatestOf, known } from '../numbers.js';
import { policerSigns } from '../policer.js';
import { policerFit } from '../policer-fit.js';
import { mbps, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';

/**
 * Something drops what exceeds a token rate instead of letting it wait (RFC 2697; Flach et al., SIGCOMM 2016). Evidence: see
 * policer.ts; without UDP, a rate that starts above and then stays flat under losses while the round trip does not grow
 * (theory/policer.ts). `tokenRateBps` counts IP bytes, as policers do. It carries no ceiling: what TCP makes of a
 * policer depends on its burst.
 */
export const policed: Rule = {
  code: 'policed',
  owner: 'path',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const signs = policerSigns(view, leg);
    const own = leg.udp.filter((udp) => udp.direction === view.way);
    const tokenRateBps = greatestOf(known(own.map((udp) => udpIpBps(udpBottleneckBps(udp), udpPayloadOf(udp)))));
    const numbers = { ...signs.numbers, tokenRateBps };
    if (isHeldByWindow(view) || signs.holds === 'no') return no(numbers);
    if (signs.holds === 'yes') return yes(numbers);
    const fit = tokenRateBps === undefined ? policerFit(view) : undefined;
    if (fit?.isPolicer) return yes({ ...numbers, tokenRateBps: fit.tokenRateBps, burstRatio: fit.burstRatio });
    return cannotTell(evidenceOf(numbers), signs.missing, [
      'a udp-step-up test past the rate in question, several seconds a step: a policer loses nothing below it',
    ]);
  },
  prose: ({ evidence: e }) =>
    `The path drops what exceeds ${mbps(e.tokenRateBps)} (IP bytes) without queueing it: ${percent(e.lossRatio)} of the segments were lost while the round trip grew by no queue. Ask the carrier for the policer's rate and burst; pace the sender below it. Larger buffers make it worse.`,
};
