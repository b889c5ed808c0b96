import type { MetricFact } from '../../metric-fact.js';

/** What a round-trip measurement says. Names and units are PRODUCT.md's. */
export const rttMetrics = [
  { name: 'rtt.min', unit: 'ms', better: 'lower', description: 'Smallest round-trip time of the replies (RFC 2681).' },
  { name: 'rtt.mean', unit: 'ms', better: 'lower', description: 'Mean round-trip time of the replies.' },
  {
    name: 'rtt.p50',
    unit: 'ms',
    better: 'lower',
    description:
      'Median round-trip time by nearest rank over all requests, a lost one counting as infinite (RFC 7679 section 5.1); null, no-reply, when it falls on a lost one.',
  },
  {
    name: 'rtt.p95',
    unit: 'ms',
    better: 'lower',
    description:
      '95th percentile by nearest rank over all requests, a lost one counting as infinite; null, no-reply, when it falls on a lost one.',
  },
  { name: 'rtt.max', unit: 'ms', better: 'lower', description: 'Largest round-trip time of the replies.' },
  {
    name: 'loss',
    unit: 'ratio',
    better: 'lower',
    description: 'Requests without a reply by requests sent (RFC 7680 section 4.1); duplicates count once.',
  },
  {
    name: 'jitter',
    unit: 'ms',
    better: 'lower',
    description:
      'Mean absolute IPDV: the mean of |RTT(i) - RTT(i-1)| over requests that follow each other and were both answered (RFC 3393 section 2.4, RFC 5481 section 4.1). Not the smoothed mean of RFC 3550.',
  },
] as const satisfies readonly MetricFact[];
