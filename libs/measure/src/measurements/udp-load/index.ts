import { defineMeasurement } from '../../ability.js';
import { udpLoadMetrics } from './metrics.js';
import { UdpLoadSpec } from './spec.js';

/** What arrives of a constant UDP load. It pushes other traffic aside, so nothing else may run there meanwhile. */
export const udpLoad = defineMeasurement({
  kind: 'udp-load',
  schemaVersion: 1,
  spec: UdpLoadSpec,
  metrics: udpLoadMetrics,
  sharing: 'exclusive',
  standingGrant: false,
  ceilings: (spec) => ({ maxRateBps: spec.rateBps, maxStreams: spec.streams, maxDurationS: spec.durationS }),
});

export * from './loss.js';
export * from './metrics.js';
export * from './metrics-of.js';
export * from './payload.js';
export * from './result.js';
export * from './spec.js';
