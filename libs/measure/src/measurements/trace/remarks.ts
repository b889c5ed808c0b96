import type { TraceFlow, TraceResult } from './result.js';
import { distinctWays, hopLossRatio, unansweredRatio } from './ways.js';

/** A hop must leave more than this unanswered before a word is lost about it. */
const NOTABLE = 0.1;

/** The way in words, for the record: each different way once, who is only slow to answer, and where the way divides. */
export function traceRemarks(result: TraceResult): string[] {
  const ways = distinctWays(result).filter(({ hops }) => hops.length > 0);
  return [
    ...ways.map((way) => wayText(way, ways.length > 1)),
    ...(ways.length > 1 ? [`${ways.length} ways for ${result.flows.length} flows: load balancing`] : []),
    ...new Set(result.flows.flatMap(limitedHops)),
    ...(ways.length === 0 ? ['no hop answered'] : []),
    ...(result.flows.some(({ reached }) => reached) ? [] : [`${result.destination} itself did not answer`]),
  ];
}

const wayText = ({ flow, hops }: TraceFlow, several: boolean): string =>
  `${several ? `flow ${flow}: ` : ''}${hops.map(({ hop, hosts }) => `${hop} ${hosts.join(' or ') || '*'}`).join(', ')}`;

function limitedHops(flow: TraceFlow): string[] {
  return flow.hops.flatMap((hop) => {
    const loss = hopLossRatio(flow, hop.hop);
    const silent = unansweredRatio(hop);
    return loss !== undefined && hop.answered > 0 && silent - loss > NOTABLE
      ? [`hop ${hop.hop} limits its ICMP: it left ${Math.round(silent * 100)} % unanswered, and later hops did not`]
      : [];
  });
}
