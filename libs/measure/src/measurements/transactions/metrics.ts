import type { MetricFact } from '../../metric-fact.js';

const percentile = (name: string, words: string): MetricFact => ({
  name,
  unit: 'ms',
  better: 'lower',
  description: `${words} of the transaction time by nearest rank, from the tool's histogram: the upper edge of its bin, so at most one bin too large. Null where the version prints no histogram.`,
});

/** What transactions say. Names and units are PRODUCT.md's; those from `latency.idle` on belong to underLoad. */
export const transactionMetrics: readonly MetricFact[] = [
  {
    name: 'transactions-per-second',
    unit: '1/s',
    better: 'higher',
    description:
      'Transactions by the time they took, sent back to back: what an application that waits for each reply gets, whatever the bandwidth.',
  },
  {
    name: 'latency.min',
    unit: 'ms',
    better: 'lower',
    description: 'Shortest time from sending a request to having its whole reply.',
  },
  { name: 'latency.mean', unit: 'ms', better: 'lower', description: 'Mean transaction time.' },
  percentile('latency.p50', 'Median'),
  percentile('latency.p95', '95th percentile'),
  percentile('latency.p99', '99th percentile'),
  { name: 'latency.max', unit: 'ms', better: 'lower', description: 'Longest transaction time.' },
  {
    name: 'ratio-to-rtt',
    unit: 'ratio',
    better: 'lower',
    description:
      'Mean transaction time by the smallest ping round trip just before: what serialization, slow start and queues add to the distance.',
  },
  {
    name: 'rtt.baseline',
    unit: 'ms',
    better: 'lower',
    description:
      'Smallest ping round-trip time just before the test, without its load: the denominator of ratio-to-rtt.',
  },
  {
    name: 'latency.idle',
    unit: 'ms',
    better: 'lower',
    description: 'Mean transaction time just before the load of underLoad began.',
  },
  {
    name: 'ratio-to-idle',
    unit: 'ratio',
    better: 'lower',
    description:
      'Mean transaction time under load by that without it: working latency. Far above 1 means that queues fill (bufferbloat).',
  },
  {
    name: 'responsiveness',
    unit: '1/min',
    better: 'higher',
    description:
      "Round trips per minute under load: 60000 by the mean transaction time. The idea of draft-ietf-ippm-responsiveness, on this test's own connection and one bulk TCP stream: not comparable with tools that load and probe by HTTP.",
  },
  {
    name: 'load.throughput',
    unit: 'bit/s',
    better: 'none',
    description: 'What the TCP stream of underLoad got meanwhile, at the receiver.',
  },
];
