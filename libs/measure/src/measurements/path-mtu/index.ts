import { defineMeasurement } from '../../ability.js';
import { pathMtuMetrics } from './metrics.js';
import { PathMtuSpec } from './spec.js';

/** How large a packet may be that gets through whole. Light: a few packets of each size. */
export const pathMtu = defineMeasurement({
  kind: 'path-mtu',
  schemaVersion: 1,
  spec: PathMtuSpec,
  metrics: pathMtuMetrics,
  sharing: 'shared',
  standingGrant: true,
  deadlineS: ({ deadlineS }) => deadlineS,
  // All sizes at once, each five times a second.
  ceilings: (spec) => ({
    maxRateBps: spec.sizesBytes.reduce((sum, size) => sum + size, 0) * 8 * 5,
    maxStreams: spec.sizesBytes.length,
    maxDurationS: spec.echoes + 60,
  }),
});

export * from './ladder.js';
export * from './metrics.js';
export * from './metrics-of.js';
export * from './result.js';
export * from './spec.js';
export * from './verdict.js';
