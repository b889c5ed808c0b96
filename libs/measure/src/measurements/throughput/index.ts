import { defineMeasurement } from '../../ability.js';
import { throughputMetrics } from './metrics.js';
import { ThroughputSpec, waysOf } from './spec.js';

/** How much of one path's rate one bulk TCP flow gets, or several together. They fill the path, so nothing else may run there meanwhile. */
export const throughput = defineMeasurement({
  kind: 'throughput',
  schemaVersion: 1,
  spec: ThroughputSpec,
  metrics: throughputMetrics,
  sharing: 'exclusive',
  standingGrant: false,
  ceilings: (spec) => ({
    maxRateBps: spec.rateBps === undefined ? null : spec.rateBps * waysOf(spec),
    maxStreams: spec.streams * waysOf(spec),
    maxDurationS: spec.omitS + spec.durationS,
  }),
});

export * from './committed.js';
export * from './ends.js';
export * from './fairness.js';
export * from './metrics.js';
export * from './metrics-of.js';
export * from './result.js';
export * from './rfc6349.js';
export * from './sockets.js';
export * from './spec.js';
export * from './streams.js';
