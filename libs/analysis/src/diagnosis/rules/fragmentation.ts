import { cannotTell, no, yes } from '../judgement.js';
import { known, leastOf } from '../numbers.js';
import { bytes, percent } from '../prose/words.js';
import type { Rule } from '../rule.js';

/** UDP 8 and IPv4 20: with IPv6 there is still less room. */
const HEADERS_BYTES = 28;

/**
 * Datagrams do not fit into one packet, so that one lost fragment loses all of it and many firewalls drop every one (RFC
 * 8900). Evidence: the payload that was asked for, with its headers, against the smallest of the path MTU that was
 * measured, the MTU of the sending interface and that of the contract.
 */
export const fragmentation: Rule = {
  code: 'fragmentation',
  owner: 'our-host',
  effect: 'condition',
  about: ['udp'],
  judge(subject, leg) {
    if (subject.about !== 'udp') return null;
    const { steps, direction } = subject.udp;
    const worst = [...steps].sort((a, b) => (b.payloadBytes ?? 0) - (a.payloadBytes ?? 0))[0];
    const mtuBytes = leastOf(
      known([
        leg.path.mtu,
        ...steps.map((step) => step.hosts.sender?.snapshot?.interface?.mtu),
        ...leg.pathMtus.filter((found) => found.direction === direction).map((found) => found.pathMtuBytes),
      ]),
    );
    const numbers = {
      payloadBytes: worst?.payloadBytes,
      packetBytes: worst?.payloadBytes === undefined ? undefined : worst.payloadBytes + HEADERS_BYTES,
      mtuBytes,
      lossRatio: worst?.lossRatio,
    };
    if (worst?.payloadBytes === undefined || mtuBytes === undefined)
      return cannotTell(numbers, ['payload of the datagrams and MTU of the path'], ['a path-mtu test']);
    return worst.payloadBytes + HEADERS_BYTES > mtuBytes ? yes(numbers) : no(numbers);
  },
  prose: ({ evidence: e }) =>
    `Datagrams of ${bytes(e.payloadBytes)} do not fit the MTU of ${bytes(e.mtuBytes)}: they travel in fragments, or are refused where that is forbidden${(e.lossRatio ?? 0) > 0 ? `; ${percent(e.lossRatio)} were lost, each with all of its fragments` : ''}. Send at most ${bytes(e.mtuBytes === undefined ? undefined : e.mtuBytes - HEADERS_BYTES)} of payload.`,
};
