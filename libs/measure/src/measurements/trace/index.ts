import { defineMeasurement } from '../../ability.js';
import { traceMetrics } from './metrics.js';
import { traceSinceLast } from './since-last.js';
import { TraceSpec } from './spec.js';

/** A packet of a trace with its headers and frame, at most. */
const PACKET_BYTES = 128;
/** Five a second to each hop. */
const PER_SECOND = 5;

/** The hops on the way, how far they are and whether packets get lost there. Light; also where the far probe is down. */
export const trace = defineMeasurement({
  kind: 'trace',
  schemaVersion: 1,
  spec: TraceSpec,
  metrics: traceMetrics,
  sharing: 'shared',
  standingGrant: true,
  deadlineS: ({ deadlineS }) => deadlineS,
  sinceLast: traceSinceLast,
  ceilings: ({ flows, cycles, maxHops }) => ({
    maxRateBps: flows * maxHops * PACKET_BYTES * 8 * PER_SECOND,
    maxStreams: flows,
    maxDurationS: cycles + 30,
  }),
});

export * from './changes.js';
export * from './metrics.js';
export * from './metrics-of.js';
export * from './remarks.js';
export * from './result.js';
export * from './spec.js';
export * from './ways.js';
