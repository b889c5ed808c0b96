import type { MetricFact } from '../../metric-fact.js';

/** Of a transfer with several streams only. */
export const fairness = {
  name: 'fairness',
  unit: 'ratio',
  better: 'higher',
  description:
    "Jain's index over what the streams of a transfer got at the receiver: 1 is even, 1/n is all to one. Only of several streams.",
} as const satisfies MetricFact;
