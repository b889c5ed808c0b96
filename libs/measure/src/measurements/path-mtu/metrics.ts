import type { MetricFact } from '../../metric-fact.js';

/** What a path MTU measurement says. */
export const pathMtuMetrics = [
  {
    name: 'path-mtu',
    unit: 'B',
    better: 'higher',
    description:
      'Largest IP packet that gets through without being fragmented: what a hop said, else the largest tried size that was answered.',
  },
  {
    name: 'path-mtu.refused',
    unit: 'B',
    better: 'none',
    description:
      'Smallest tried IP packet above the path MTU that did not get through. Null where every size did: the path MTU is then at least the largest.',
  },
  {
    name: 'black-hole',
    unit: 'count',
    better: 'lower',
    description:
      '1 where larger packets vanish and nobody says so, so that a sender that relies on ICMP (RFC 1191) never learns the path MTU; 0 where a hop says it or nothing is too large.',
  },
] as const satisfies readonly MetricFact[];
