import type { TraceFlow, TraceHop, TraceResult } from './result.js';

/** What of a hop's silence is loss: only what all later hops that answer, and the far end, lose as well. */
export function hopLossRatio({ reached, hops }: TraceFlow, hop: number): number | undefined {
  if (!reached) return undefined;
  const later = hops.filter((one) => one.hop >= hop && one.answered > 0).map(unansweredRatio);
  return later.length > 0 ? Math.min(...later) : undefined;
}

export const unansweredRatio = ({ sent, answered }: TraceHop): number => (sent > 0 ? (sent - answered) / sent : 0);

/**
 * Different ways that the flows took. A silent hop fits any host: two flows differ only where both know their hop and it is
 * not the same. A far end that limits its answers is silent at its own hop and answers at the next: that is no longer way.
 */
export function distinctWays({ flows }: Pick<TraceResult, 'flows'>): readonly TraceFlow[] {
  const ways: TraceFlow[] = [];
  for (const flow of flows) if (!ways.some((way) => sameWay(way, flow))) ways.push(flow);
  return ways;
}

function sameWay(a: TraceFlow, b: TraceFlow): boolean {
  return a.hops.every((hop) => {
    const other = b.hops.find((one) => one.hop === hop.hop);
    return (
      !other ||
      other.hosts.length === 0 ||
      hop.hosts.length === 0 ||
      hop.hosts.some((host) => other.hosts.includes(host))
    );
  });
}
