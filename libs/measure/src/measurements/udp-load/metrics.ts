import type { MetricFact } from '../../metric-fact.js';

/** What a UDP load says. Names and units are PRODUCT.md's; `delivered.steady` is what a bottleneck shows. */
export const udpLoadMetrics = [
  {
    name: 'offered',
    unit: 'bit/s',
    better: 'none',
    description: 'Payload bits a second that the sender really sent, all streams together.',
  },
  {
    name: 'delivered',
    unit: 'bit/s',
    better: 'higher',
    description: 'Payload bits a second that the receiver counted, over its own time.',
  },
  {
    name: 'delivered.steady',
    unit: 'bit/s',
    better: 'higher',
    description:
      "Median of the receiver's whole one-second intervals, the first left out: what arrives while the load is on. Null where the receiver's intervals did not arrive or the step was too short.",
  },
  {
    name: 'loss',
    unit: 'ratio',
    better: 'lower',
    description:
      'Datagrams that did not arrive by datagrams up to the last one that did (RFC 7680 section 4.1), as the receiver counted sequence numbers. Those still on their way when the test ended are not counted; a silent end is.',
  },
  {
    name: 'jitter',
    unit: 'ms',
    better: 'lower',
    description:
      'Interarrival jitter of RFC 3550 section 6.4.1 as it stood at the end, the mean over the streams: a smoothed mean, never a maximum.',
  },
  {
    name: 'reordered',
    unit: 'packets',
    better: 'lower',
    description:
      "Datagrams that arrived after a later one (duplicates among them). Null where the receiver's own account did not arrive: the tool does not pass it on.",
  },
] as const satisfies readonly MetricFact[];

/** What only a whole step-up has, worked out over its loads. */
export const udpStepUpMetrics = [
  {
    name: 'highest-clean-rate',
    unit: 'bit/s',
    better: 'higher',
    description:
      'Largest offered payload rate whose loss stayed within stopLossRatio. Where no load was lossy it is what was tried last: the path carries at least that.',
  },
  {
    name: 'bottleneck-rate',
    unit: 'bit/s',
    better: 'higher',
    description:
      'Payload rate that arrives once more is offered than the path carries. Null where no load was lossy, and where the loads contradict each other: loss that does not come from the rate shows no bottleneck.',
  },
] as const satisfies readonly MetricFact[];
