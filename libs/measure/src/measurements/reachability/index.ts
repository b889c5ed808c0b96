import { defineMeasurement } from '../../ability.js';
import { reachabilityMetrics } from './metrics.js';
import { ReachabilitySpec } from './spec.js';

/** IP and TCP headers of a SYN on an Ethernet, with its frame. */
const SYN_FRAME_BYTES = 84;

/** Whether a port of the far end can be reached, as an application would. Light; works also where the far probe is down. */
export const reachability = defineMeasurement({
  kind: 'reachability',
  schemaVersion: 1,
  spec: ReachabilitySpec,
  metrics: reachabilityMetrics,
  sharing: 'shared',
  standingGrant: true,
  deadlineS: ({ deadlineS }) => deadlineS,
  ceilings: ({ count, intervalS }) => ({
    maxRateBps: Math.ceil((SYN_FRAME_BYTES * 8) / intervalS),
    maxStreams: 1,
    maxDurationS: Math.ceil(count * intervalS) + 1,
  }),
});

export * from './metrics.js';
export * from './metrics-of.js';
export * from './result.js';
export * from './spec.js';
