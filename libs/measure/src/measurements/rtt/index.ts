import { defineMeasurement } from '../../ability.js';
import { rttMetrics } from './metrics.js';
import { RttSpec } from './spec.js';

/** Round-trip time and loss of small packets. Light, so several may share an interface, and a standing grant is enough. */
export const rtt = defineMeasurement({
  kind: 'rtt',
  schemaVersion: 1,
  spec: RttSpec,
  metrics: rttMetrics,
  sharing: 'shared',
  standingGrant: true,
  ceilings: (spec) => ({
    maxRateBps: Math.ceil(((spec.payloadBytes + 8 + 40) * 8) / spec.intervalS),
    maxStreams: 1,
    maxDurationS: Math.ceil((spec.count + spec.omitCount) * spec.intervalS),
  }),
});

export * from './metrics.js';
export * from './metrics-of.js';
export * from './result.js';
export * from './spec.js';
export { meanAbsoluteIpdv, percentile } from './statistics.js';
