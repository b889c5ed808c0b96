import type { MetricFact } from '../../metric-fact.js';

/** What the characterization of hops says: of the way as a whole, and labelled by hop of each link that leads to it. */
export const hopsMetrics: readonly MetricFact[] = [
  {
    name: 'hops',
    unit: 'count',
    better: 'none',
    description: 'Hops to the far end, itself included. Null where it was not reached.',
  },
  {
    name: 'path.rate',
    unit: 'bit/s',
    better: 'higher',
    description: 'Rate of the slowest link whose rate could be told, in IP bytes.',
  },
  {
    name: 'hop.rate',
    unit: 'bit/s',
    better: 'higher',
    description:
      'Rate of the link to this hop, from how much longer larger packets take than to the hop before. To be read with hop.r2: a fast link adds so little time that noise hides it. Null where no positive rate came out.',
  },
  {
    name: 'hop.latency',
    unit: 'ms',
    better: 'lower',
    description: 'Round-trip time that the link to this hop adds, for a packet without size.',
  },
  {
    name: 'hop.r2',
    unit: 'ratio',
    better: 'higher',
    description:
      'How well a line fits the times up to this hop (coefficient of determination): below 0.9 the rate is a guess.',
  },
  {
    name: 'hop.unanswered',
    unit: 'ratio',
    better: 'none',
    description: 'Share of the packets that this hop did not answer: routers limit their ICMP, so this is not loss.',
  },
];

/** Below this the fit is poor, and it is said. */
export const POOR_R2 = 0.9;
