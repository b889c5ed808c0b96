import { bottleneckQueueBytes } from '../../theory/bottleneck-queue.js';
import { viewOf } from '../flow-view.js';
import { cannotTell, no, theory, yes } from '../judgement.js';
import { bytes, ms } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** A queue that adds this much, and doubles the round trip, is felt by everybody else on the link. */
const QUEUE_MS = 50;
const GROWTH = 1;

/**
 * Too large a queue at the bottleneck: load makes everybody wait (RFC 7567, section 1; RFC 6349, section 4.3). Evidence: the
 * round trip under load against the idle one, or transactions under load against those without.
 */
export const bufferbloat: Rule = {
  code: 'bufferbloat',
  owner: 'path',
  effect: 'condition',
  about: ['flow', 'transactions'],
  judge(subject, leg) {
    if (subject.about === 'transactions') {
      const { latencyMeanMs, latencyIdleMs, underLoad } = subject.transactions;
      if (!underLoad) return null;
      const numbers = { loadedMs: latencyMeanMs, idleMs: latencyIdleMs };
      if (latencyMeanMs === undefined || latencyIdleMs === undefined)
        return cannotTell(numbers, ['latency with and without load']);
      const queueMs = latencyMeanMs - latencyIdleMs;
      const told = { ...numbers, queueMs };
      return queueMs >= QUEUE_MS && queueMs >= latencyIdleMs * GROWTH ? yes(told) : no(told);
    }
    if (subject.about !== 'flow') return null;
    const view = viewOf(subject.flow, leg);
    const { rttMs, idleRttMs, queueMs, measuredBps } = view;
    const numbers = { measuredBps, loadedMs: rttMs, idleMs: idleRttMs, queueMs };
    if (queueMs === undefined || rttMs === undefined || idleRttMs === undefined)
      return cannotTell(numbers, ['round-trip time under load and idle'], ['a bounceback test with underLoad']);
    const queueBytes = theory(() =>
      measuredBps === undefined ? null : bottleneckQueueBytes(measuredBps, rttMs, idleRttMs),
    );
    const told = { ...numbers, queueBytes };
    return queueMs >= QUEUE_MS && queueMs >= idleRttMs * GROWTH ? yes(told) : no(told);
  },
  prose: ({ evidence: e }) =>
    `Load makes everything wait: the round trip grows from ${ms(e.idleMs)} to ${ms(e.loadedMs)}${e.queueBytes === undefined ? '' : `, a queue of about ${bytes(e.queueBytes)}`}. Who runs the bottleneck should shorten its queue or manage it (fq_codel, RFC 8290); BBR or pacing on the sender fills it less.`,
};
