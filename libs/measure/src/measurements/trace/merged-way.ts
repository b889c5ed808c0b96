import type { TraceFlow, TraceResult } from './result.js';

/** A hop of a trace, all flows together. */
export interface MergedHop {
  /** Counts from 1. */
  readonly hop: number;
  readonly hosts: readonly string[];
  /** A flow that came this far had no answer here: there may be hosts that nobody saw. */
  readonly silent: boolean;
}

/** The way with the hosts of all flows at each hop, from the first to the last that answered. */
export function mergedWay({ flows }: Pick<TraceResult, 'flows'>): readonly MergedHop[] {
  const last = Math.max(0, ...flows.flatMap(answeredHops));
  return Array.from({ length: last }, (_, i) => {
    const here = flows.flatMap((flow) => hostsAt(flow, i + 1) ?? []);
    return {
      hop: i + 1,
      hosts: [...new Set(here.flat())],
      silent: here.length === 0 || here.some((hosts) => hosts.length === 0),
    };
  });
}

const answeredHops = ({ hops }: TraceFlow): number[] => hops.flatMap(({ hop, hosts }) => (hosts.length > 0 ? hop : []));

/** Who answered a flow at a hop, in a list of its own; undefined: the flow was at its end before that. */
function hostsAt(flow: TraceFlow, hop: number): [readonly string[]] | undefined {
  if (flow.reached && hop > Math.max(0, ...answeredHops(flow))) return undefined;
  return [flow.hops.find((one) => one.hop === hop)?.hosts ?? []];
}

/** Hops to the far end; undefined: no flow reached it. */
export function lengthOf({ flows }: Pick<TraceResult, 'flows'>): number | undefined {
  const ends = flows.filter(({ reached }) => reached).map(({ hops }) => hops.at(-1)?.hop ?? 0);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}
