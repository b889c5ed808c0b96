import type { MetricFact } from '../../metric-fact.js';

/** What a trace says beside the last one of the same path, with the same method and flows, the same way round. */
export const changeMetrics = [
  {
    name: 'hops.changed',
    unit: 'count',
    better: 'none',
    description:
      'Hops that appeared, vanished or have another address since the last completed trace of the same path and parameters. A hop that only did not answer is no change. Null, no-earlier-one, where there is none.',
  },
  {
    name: 'hops.before',
    unit: 'count',
    better: 'none',
    description: 'Hops to the far end in that earlier trace: its length beside that of hops.',
  },
] as const satisfies readonly MetricFact[];

/** What a trace says: of the way as a whole, and labelled by hop (and stream, where there are several flows) of each hop. */
export const traceMetrics: readonly MetricFact[] = [
  {
    name: 'hops',
    unit: 'count',
    better: 'none',
    description: 'Hops to the far end, itself included. Null where it was not reached.',
  },
  {
    name: 'flows.distinct',
    unit: 'count',
    better: 'none',
    description: 'Different ways that the flows took: more than one is load balancing.',
  },
  {
    name: 'loss',
    unit: 'ratio',
    better: 'lower',
    description: 'Share of the packets to the far end itself that were not answered. Null where it was not reached.',
  },
  { name: 'rtt.min', unit: 'ms', better: 'lower', description: 'Shortest round trip to the far end.' },
  { name: 'rtt.mean', unit: 'ms', better: 'lower', description: 'Mean round trip to the far end.' },
  { name: 'rtt.max', unit: 'ms', better: 'lower', description: 'Longest round trip to the far end.' },
  {
    name: 'hop.loss',
    unit: 'ratio',
    better: 'lower',
    description:
      'Loss that begins at or before this hop and is still there at every later hop that answers, the far end included. What is seen at this hop alone is a router that limits its ICMP, and is no loss. Null where the far end was not reached.',
  },
  {
    name: 'hop.unanswered',
    unit: 'ratio',
    better: 'none',
    description:
      'Share of the packets that this hop did not answer, whatever the reason: routers limit their ICMP, so this is not loss.',
  },
  { name: 'hop.rtt.min', unit: 'ms', better: 'lower', description: 'Shortest round trip to this hop.' },
  { name: 'hop.rtt.mean', unit: 'ms', better: 'lower', description: 'Mean round trip to this hop.' },
  { name: 'hop.rtt.max', unit: 'ms', better: 'lower', description: 'Longest round trip to this hop.' },
  ...changeMetrics,
];
