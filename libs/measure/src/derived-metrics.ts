import { fairness } from './measurements/throughput/index.js';
import { udpStepUpMetrics } from './measurements/udp-load/index.js';
import type { MetricFact } from './metric-fact.js';
import { captureMetrics } from './tools/tcpdump/index.js';

export const ratioToSingle = {
  name: 'ratio-to-single',
  unit: 'ratio',
  better: 'none',
  description:
    'Sum of the streams by what one stream alone got in the same repeat: far above 1 means that the path gives one application connection much less than it can carry.',
} as const satisfies MetricFact;

export const windowCeiling = {
  name: 'window-ceiling',
  unit: 'bit/s',
  better: 'none',
  description:
    'Window / RTT: the largest advertised window that the sender saw (window.max), times 8, by the mean RTT of the same transfer. A throughput near it is window-limited; one far below is held by something else.',
} as const satisfies MetricFact;

/** Metrics that not every attempt of their measurement has, or that are worked out over the attempts of a step. */
export const derivedMetrics: readonly MetricFact[] = [
  fairness,
  ratioToSingle,
  windowCeiling,
  ...udpStepUpMetrics,
  ...captureMetrics,
];
