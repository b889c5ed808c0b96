import type { End } from '@plumbline/model';
import { directionCells, interleave } from './expand.js';
import type { AttemptPlan } from './kind.js';

/**
 * An attempt that may start at the far end: the destination's probe then sends and the source's answers, for what only the
 * sending side can measure (a path MTU, a trace). Absent: it starts at the near end, as all others do.
 */
export interface SidedAttempt extends AttemptPlan {
  readonly startsAt?: End;
  /** It only helps the others: its failure is no failure of the step. */
  readonly optional?: boolean;
}

/** Where a measurement without a direction of its own must start, so that it measures this way. */
export const startOf = (direction: 'forward' | 'reverse'): Pick<SidedAttempt, 'startsAt'> =>
  direction === 'reverse' ? { startsAt: 'far' } : {};

/** Repeats of one spec for each direction, interleaved, of a measurement without a direction of its own. */
export function sidedAttempts(
  test: { readonly repeats: number; readonly direction: 'forward' | 'reverse' | 'both' },
  how: Pick<AttemptPlan, 'measurement' | 'schemaVersion' | 'tool' | 'spec'>,
): readonly SidedAttempt[] {
  const { spec, ...rest } = how;
  const cells = directionCells(test.direction);
  const plans = interleave(
    test.repeats,
    cells.map(({ cell }) => ({ cell, spec })),
    rest,
  );
  return plans.map((plan, i) => ({ ...plan, ...startOf(cells[i % cells.length]?.direction ?? 'forward') }));
}
