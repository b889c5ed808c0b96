import { defineMeasurement } from '../../ability.js';
import { transactionMetrics } from './metrics.js';
import { TransactionsSpec } from './spec.js';

/** Of the transactions before the load begins, in seconds. */
export const IDLE_S = 3;
/** The load has this long to fill the path before transactions are counted. */
export const LOAD_LEAD_S = 2;

/** How many requests a second find their reply when each waits for the one before. */
export const transactions = defineMeasurement({
  kind: 'transactions',
  schemaVersion: 1,
  spec: TransactionsSpec,
  metrics: transactionMetrics,
  sharing: 'exclusive',
  standingGrant: false,
  ceilings: (spec) => ({
    maxRateBps: null,
    maxStreams: spec.underLoad ? 2 : 1,
    maxDurationS: spec.durationS + (spec.omitS ?? 0) + (spec.underLoad ? IDLE_S + LOAD_LEAD_S : 0),
  }),
});

export * from './histogram.js';
export * from './metrics.js';
export * from './metrics-of.js';
export * from './result.js';
export * from './spec.js';
