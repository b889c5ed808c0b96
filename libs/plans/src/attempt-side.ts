import type { End } from '@plumbline/model';
import type { AttemptPlan } from './kind.js';

/**
 * An attempt that may start at the far end: the destination's probe then sends and the source's answers, for what only the
 * sending side can measure (a path MTU, a trace). Absent: it starts at the near end, as all others do.
 */
export interface SidedAttempt extends AttemptPlan {
  readonly startsAt?: End;
}

/** Where a measurement without a direction of its own must start, so that it measures this way. */
export const startOf = (direction: 'forward' | 'reverse'): Pick<SidedAttempt, 'startsAt'> =>
  direction === 'reverse' ? { startsAt: 'far' } : {};
