import { provenRateBps } from '../capacity.js';
import type { LegFacts, TransactionFacts } from '../facts.js';
import { cannotTell, no, yes } from '../judgement.js';
import { known, leastOf } from '../numbers.js';
import { digits, ms } from '../prose/words.js';
import type { Rule } from '../rule.js';

const FILLS = 0.85;
const SEGMENT_BYTES = 1448;

/**
 * An application that waits for each reply gets 1 / RTT transactions a second, whatever the bandwidth; large messages add
 * their time on the link (Kurose and Ross, section 1.4). Evidence: transactions a second against the round trip of the idle
 * path. The ceiling in bit/s is that of the requests' payload.
 */
export const rttBound: Rule = {
  code: 'rtt-bound',
  owner: 'path',
  effect: 'limit',
  about: ['transactions'],
  judge(subject, leg) {
    if (subject.about !== 'transactions') return null;
    const own = subject.transactions;
    const rttMs = leastOf(known([own.baselineRttMs, ...leg.rtts.map((rtt) => rtt.p50Ms ?? rtt.minMs)]));
    const { perSecond, requestBytes } = own;
    const serializationMs = serializationOf(own, leg);
    const predicted = rttMs === undefined ? undefined : 1000 / (rttMs + (serializationMs ?? 0));
    const bits = (requestBytes ?? Number.NaN) * 8;
    const measuredBps = perSecond === undefined ? undefined : perSecond * bits;
    const numbers = {
      measuredBps,
      transactionsPerSecond: perSecond,
      predictedPerSecond: predicted,
      rttMs,
      serializationMs,
    };
    if (perSecond === undefined || predicted === undefined)
      return cannotTell(numbers, ['transactions a second and the idle round trip'], ['an rtt test']);
    if (perSecond >= predicted * FILLS) return yes(numbers, predicted * bits);
    if (serializationMs === undefined)
      return cannotTell(numbers, ['rate of the path, for the time that large messages take'], ['a single-stream test']);
    return no(numbers, predicted * bits);
  },
  prose: ({ evidence: e }) =>
    `The round trip is the limit: ${ms(e.rttMs)}${(e.serializationMs ?? 0) > 1 ? ` and ${ms(e.serializationMs)} on the link` : ''} allow ${e.predictedPerSecond === undefined ? 'so many' : digits(e.predictedPerSecond)} transactions a second, and ${e.transactionsPerSecond === undefined ? 'as many' : digits(e.transactionsPerSecond)} were done. More bandwidth changes nothing: shorten the path, or let the application wait less often.`,
};

/** What messages of more than a segment add; nothing for small ones; unknown where no rate is. */
function serializationOf({ requestBytes = 0, replyBytes = 0 }: TransactionFacts, leg: LegFacts): number | undefined {
  if (Math.max(requestBytes, replyBytes) <= SEGMENT_BYTES) return 0;
  const [there, back] = [provenRateBps(leg, 'forward'), provenRateBps(leg, 'reverse')];
  const [a, b] = [there ?? back, back ?? there];
  if (a === undefined || b === undefined) return undefined;
  return (requestBytes / a + replyBytes / b) * 8000;
}
