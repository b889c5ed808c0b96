import type { FlowFacts } from '../facts.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { greatestOf, known, ratioOf } from '../numbers.js';
import { percent } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** Share of the retransmissions that a DSACK proved needless. */
const NEEDLESS = 0.2;
/** Share of the datagrams that came late, or of the segments: a few among a million change nothing. */
const LATE = 1e-3;

/**
 * Packets overtake each other. Evidence: the kernel saw it (tcpi_reord_seen) and DSACKs say that what was sent again had
 * arrived (RFC 2883; RFC 8985), or datagrams came after later ones.
 */
export const reordering: Rule = {
  code: 'reordering',
  owner: 'path',
  effect: 'condition',
  about: ['flow', 'udp'],
  judge(subject, leg) {
    if (subject.about === 'udp') {
      const shares = subject.udp.steps.map((step) => {
        const packets = (step.offeredBps * (step.durationS ?? Number.NaN)) / 8 / (step.payloadBytes ?? Number.NaN);
        return ratioOf(step.reorderedPackets, packets);
      });
      const share = greatestOf(known(shares));
      if (share === undefined) return cannotTell({}, ["the receiver's count of late datagrams"]);
      return share >= LATE ? yes({ lateRatio: share }) : no({ lateRatio: share });
    }
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const { dsackDuplicates, reorderingSeen } = subject.flow.sender ?? {};
    const needless = ratioOf(dsackDuplicates, subject.flow.retransmits);
    const numbers = {
      measuredBps: view.measuredBps,
      reorderingSeen,
      dsackDuplicates,
      needlessRatio: needless,
      retransmits: subject.flow.retransmits,
    };
    if (reorderingSeen === undefined && dsackDuplicates === undefined)
      return cannotTell(
        numbers,
        ['reordering and DSACK counters of the socket'],
        ['repeat the test with ss on the sending host; a udp-step-up test'],
      );
    const share = ratioOf(Math.max(reorderingSeen ?? 0, dsackDuplicates ?? 0), segmentsSent(subject.flow));
    if (share !== undefined && share < LATE) return no(numbers);
    const seen = (reorderingSeen ?? 0) > 0;
    const proven = (dsackDuplicates ?? 0) >= 3 && (needless ?? 1) >= NEEDLESS;
    return (seen && ((reorderingSeen ?? 0) >= 5 || proven)) || proven ? yes(numbers) : no(numbers);
  },
  prose: ({ evidence: e }) =>
    `Packets overtake each other${e.lateRatio === undefined ? `: ${e.dsackDuplicates ?? 0} of ${e.retransmits ?? 'some'} retransmissions were needless, because the first copy came after all` : `: ${percent(e.lateRatio)} of the datagrams came late`}. Look for a balancer that spreads single packets instead of flows over several links.`,
};

const segmentsSent = ({ sender, throughputBps, durationS }: FlowFacts): number | undefined =>
  ratioOf(
    sender?.bytesSent ?? ((throughputBps ?? Number.NaN) / 8) * (durationS ?? Number.NaN),
    sender?.mssBytes ?? 1448,
  );
