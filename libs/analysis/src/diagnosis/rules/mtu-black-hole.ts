import { viewOf } from '../flow-view.js';
import { cannotTell, no, yes } from '../judgement.js';
import { greatestOf, known } from '../numbers.js';
import { bytes } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** Less than this is no transfer. */
const STALLED_BPS = 64_000;

/**
 * Packets above some size vanish and nobody says so (RFC 2923, section 2.1; RFC 4821). Evidence: a path-mtu test that
 * found it; or a transfer that stands still while small packets pass: it was connected, echoes came back, and full-size
 * segments are sent again and again.
 */
export const mtuBlackHole: Rule = {
  code: 'mtu-black-hole',
  owner: 'path',
  effect: 'limit',
  about: ['path-mtu', 'flow'],
  judge(subject, leg) {
    if (subject.about === 'path-mtu') {
      const { blackHole, pathMtuBytes, expectedBytes } = subject.pathMtu;
      const numbers = { pathMtuBytes, expectedBytes };
      if (blackHole === undefined) return cannotTell(numbers, ['whether larger packets vanish'], ['a path-mtu test']);
      return blackHole ? yes(numbers) : no(numbers);
    }
    if (subject.about !== 'flow') return null;
    const { flow } = subject;
    const view = viewOf(flow, leg);
    const hole = leg.pathMtus.find((found) => found.blackHole === true && found.direction === view.way);
    const smaller = greatestOf(
      known(
        leg.flows
          .filter((other) => (other.asked.mssBytes ?? 0) > 0 && other.asked.mssBytes !== flow.asked.mssBytes)
          .map((other) => other.throughputBps),
      ),
    );
    const stalled = (flow.throughputBps ?? 0) < STALLED_BPS;
    const numbers = {
      measuredBps: flow.throughputBps,
      pathMtuBytes: hole?.pathMtuBytes,
      mssBytes: flow.sender?.mssBytes,
      retransmits: flow.retransmits,
      baselineRttMs: flow.baselineRttMs,
      smallerSegmentsBps: smaller,
    };
    if (!stalled)
      return flow.throughputBps === undefined ? cannotTell(numbers, ['throughput at the receiver']) : no(numbers);
    if (flow.throughputBps === undefined && flow.sender === undefined && hole === undefined)
      return cannotTell(numbers, ['readings of the socket'], ['a path-mtu test']);
    const passes = view.idleRttMs !== undefined;
    const again = (flow.retransmits ?? flow.sender?.segmentsRetransmitted ?? 0) >= 2;
    if (hole !== undefined || (smaller ?? 0) > STALLED_BPS * 10 || (passes && again)) return yes(numbers);
    return cannotTell(numbers, ['whether larger packets vanish'], ['a path-mtu test']);
  },
  prose: ({ evidence: e }) =>
    `Packets ${e.pathMtuBytes === undefined ? 'of full size' : `above ${bytes(e.pathMtuBytes)}`} vanish and nobody says so: small ones pass, transfers stand still. Let ICMP "fragmentation needed" (IPv6: packet too big) through, or set the MTU of the hosts to what the path carries; net.ipv4.tcp_mtu_probing = 1 helps meanwhile.`,
};
