import { udpLoad, udpLoadMetrics, udpStepUpMetrics } from '@plumbline/measure';
import { defineAdaptiveKind } from '../../adaptive-kind.js';
import { defineKind } from '../../kind.js';
import { udpStepUpSummary } from './metrics.js';
import { nextAttempt } from './next.js';
import { hasCeiling } from './plan.js';
import { UdpStepUpTest } from './test.js';

export const udpStepUp = defineAdaptiveKind(
  defineKind({
    kind: 'udp-step-up',
    title: 'UDP load, step by step',
    description:
      'Finds what a path carries by offering UDP, starting low and stopping at the first loss: the highest clean rate, and what the bottleneck lets through.',
    sharing: udpLoad.sharing,
    test: UdpStepUpTest,
    metrics: [...udpLoadMetrics, ...udpStepUpMetrics].map((fact) => fact.name),
    // The rates of the loads are not known beforehand: an empty list stands for any value.
    labels: (test) => ({
      offeredBps: [],
      ...(test.direction === 'both' ? { direction: ['forward', 'reverse'] } : {}),
    }),
    attempts: (test, path) => [nextAttempt(test, path, [])].filter((plan) => plan !== undefined),
    misfit: (test, path) =>
      hasCeiling(test, path)
        ? undefined
        : `${test.kind} does not know how far it may go: give maxRateBps, or a committedRateBps to path ${path.name}`,
    summarise: (test, results) => udpStepUpSummary(test.stopLossRatio, results),
  }),
  UdpStepUpTest,
  nextAttempt,
);
export { UdpStepUpTest } from './test.js';
