import type { MetricFact } from '../../metric-fact.js';

/** What reachability says: shares of the SYNs, which add up to 1. */
export const reachabilityMetrics = [
  {
    name: 'port.open',
    unit: 'ratio',
    better: 'higher',
    description:
      'Share of the SYNs that the port answered with SYN-ACK: something listens, and the way there and back is free.',
  },
  {
    name: 'port.closed',
    unit: 'ratio',
    better: 'none',
    description:
      'Share of the SYNs answered with RST: the host is up and the way is free, but nothing listens (or a firewall resets).',
  },
  {
    name: 'port.filtered',
    unit: 'ratio',
    better: 'lower',
    description: 'Share of the SYNs that nobody answered: dropped on the way, or the host is down.',
  },
  {
    name: 'port.rejected',
    unit: 'ratio',
    better: 'lower',
    description:
      'Share of the SYNs that a router or the host answered with an ICMP error: the record says which error and from whom.',
  },
  {
    name: 'rtt.min',
    unit: 'ms',
    better: 'lower',
    description: 'Shortest time from a SYN to the answer of the port, open or closed.',
  },
  {
    name: 'rtt.mean',
    unit: 'ms',
    better: 'lower',
    description: 'Mean time from a SYN to the answer of the port, open or closed.',
  },
] as const satisfies readonly MetricFact[];
