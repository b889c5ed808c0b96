import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { known, leastOf, ratioOf } from '../numbers.js';
import { bytes, mbps, ms } from '../prose/words.js';
import type { Rule } from '../rule.js';
import { lacksScaling, receiveWindowLimit, sendBufferLimit } from '../window-limits.js';

/** An application that sends a window, waits and sends the next keeps as much in flight as it ever does. */
const STEADY = 0.75;

/**
 * The application set the window: by SO_SNDBUF or SO_RCVBUF, which end autotuning and are capped by net.core.wmem_max and
 * rmem_max (socket(7)), or by a window of its own protocol (SSH's channel, gRPC's flow control), which TCP sees as an
 * application that does not send. Evidence: a window was asked for and a window or the send buffer binds; or the kernel
 * calls the flow app-limited while a steady amount is in flight and nothing else fills.
 */
export const applicationWindowLimited: Rule = {
  code: 'application-window-limited',
  owner: 'our-host',
  effect: 'limit',
  about: ['flow'],
  judge(subject, leg) {
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const [window, buffer] = [receiveWindowLimit(view), sendBufferLimit(view)];
    const askedBytes = flow.asked.windowBytes;
    const { sndBufMaxBytes } = flow.sender ?? {};
    const numbers = {
      ...buffer.numbers,
      ...window.numbers,
      askedWindowBytes: askedBytes,
      receiveBufferBytes: flow.receiver?.rcvBufMaxBytes,
      sendBufferBytes: sndBufMaxBytes,
    };
    if (view.measuredBps === undefined) return cannotTell(numbers, ['throughput at the receiver']);
    if (askedBytes === undefined) {
      const { appLimitedRatio, inFlightMeanBytes, inFlightMaxBytes } = flow.sender ?? {};
      const steady = ratioOf(inFlightMeanBytes, inFlightMaxBytes);
      const ceiling = ratioOf((inFlightMaxBytes ?? Number.NaN) * 8000 * flow.streams, view.rttMs);
      const own = { ...numbers, appLimitedRatio, inFlightMaxBytes };
      const isOwnWindow =
        (appLimitedRatio ?? 0) >= 0.5 &&
        (steady ?? 0) >= STEADY &&
        flow.asked.rateBps === undefined &&
        window.binds !== 'yes' &&
        buffer.binds !== 'yes';
      const busy = Math.max(flow.senderCpuRatio ?? 0, flow.receiverCpuRatio ?? 0) >= 0.85;
      return isOwnWindow && !busy ? yes(own, ceiling) : no(own);
    }
    const bound = [window, buffer].filter((limit) => limit.binds === 'yes');
    const sum = (view.receiveWindowShare ?? 0) + (view.sendBufferShare ?? 0);
    const ceiling = leastOf(known((bound.length > 0 ? bound : [window, buffer]).map((limit) => limit.ceilingBps)));
    if (lacksScaling(view) === true) return no(numbers, ceiling);
    if (bound.length > 0 || sum >= 0.5) return yes(numbers, ceiling);
    if (window.binds === 'cannot-tell' || buffer.binds === 'cannot-tell')
      return cannotTell(
        numbers,
        [...new Set([...window.missing, ...buffer.missing])],
        ['repeat the test with ss on the sending host'],
      );
    return no(numbers, ceiling);
  },
  prose: ({ evidence: e, predictedCeilingBps }) =>
    e.askedWindowBytes === undefined
      ? `The application keeps only ${bytes(e.inFlightMaxBytes)} in flight: at ${ms(e.rttMs)} that allows ${mbps(predictedCeilingBps)}. Give it a larger window of its own, or several connections; no sysctl changes this.`
      : `The application set its own buffer (${bytes(e.askedWindowBytes)} asked for), which ends autotuning: ${bytes(e.windowBytes)} per ${ms(e.rttMs)} allow ${mbps(predictedCeilingBps)}. Let the kernel size it, or ask for more; net.core.rmem_max and wmem_max cap what may be asked for.`,
};
