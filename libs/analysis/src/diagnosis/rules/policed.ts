import { mathisBps } from '../../theory/loss-response.js';
import { udpBottleneckBps, udpIpBps, udpPayloadOf } from '../capacity.js';
import { type FlowView, viewOf } from '../flow-view.js';
import { cannotTell, evidenceOf, no, theory, yes } from '../judgement.js';
import { greatestOf, known } from '../numbers.js';
import { policerSigns } from '../policer.js';
import { policerFit } from '../policer-fit.js';
import { mbps, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { isHeldByWindow } from '../window-limits.js';

/** From this much above it on, the rate is none that loss alone would allow. */
const ABOVE_LAW = 2;

/**
 * A flow that overshoots once and is then slowed down by random loss looks like a policed one: flat, low round trip, losses.
 * Its rate is that of the law (Mathis et al., 1997); a policed flow gets more, as it loses in bursts.
 */
function followsLossLaw({ lossRatio, rttMs, perStreamBps, flow }: FlowView): boolean {
  if (lossRatio === undefined || rttMs === undefined || perStreamBps === undefined || lossRatio === 0) return false;
  const law = theory(() => mathisBps(flow.sender?.mssBytes ?? 1448, rttMs, lossRatio));
  return law !== undefined && perStreamBps < law * ABOVE_LAW;
}

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
    if (fit?.isPolicer && !followsLossLaw(view))
      return yes({ ...numbers, tokenRateBps: fit.tokenRateBps, burstRatio: fit.burstRatio });
    return cannotTell(evidenceOf(numbers), signs.missing, [
      'a udp-step-up test past the rate in question, several seconds a step: a policer loses nothing below it',
    ]);
  },
  prose: ({ evidence: e }) =>
    `The path drops what exceeds ${mbps(e.tokenRateBps)} (IP bytes) without queueing it: ${percent(e.lossRatio)} of the segments were lost while the round trip grew by no queue. Ask the carrier for the policer's rate and burst; pace the sender below it. Larger buffers make it worse.`,
};
