import { defineMeasurement } from '../../ability.js';
import { hopsMetrics } from './metrics.js';
import { HopsSpec } from './spec.js';

/** Seconds between two packets. */
export const HOPS_GAP_S = 0.02;

/** Which link of the way is the slow one. One packet at a time in the lower-effort class; it takes minutes, so it gives way. */
export const hops = defineMeasurement({
  kind: 'hops',
  schemaVersion: 1,
  spec: HopsSpec,
  metrics: hopsMetrics,
  sharing: 'background',
  standingGrant: true,
  ceilings: ({ maxBytes, maxDurationS }) => ({
    maxRateBps: Math.ceil((maxBytes * 8) / HOPS_GAP_S),
    maxStreams: 1,
    maxDurationS,
  }),
});

export * from './metrics.js';
export * from './metrics-of.js';
export * from './result.js';
export * from './spec.js';
