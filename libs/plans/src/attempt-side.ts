import { directionCells, interleave } from './expand.js';
import type { AttemptPlan } from './kind.js';

/** Where a measurement without a direction of its own must start, so that it measures this way. */
export const startOf = (direction: 'forward' | 'reverse'): Pick<AttemptPlan, 'startsAt'> =>
  direction === 'reverse' ? { startsAt: 'far' } : {};

/** Repeats of one spec for each direction, interleaved, of a measurement without a direction of its own. */
export function sidedAttempts(
  test: { readonly repeats: number; readonly direction: 'forward' | 'reverse' | 'both' },
  how: Pick<AttemptPlan, 'measurement' | 'schemaVersion' | 'tool' | 'spec'>,
): readonly AttemptPlan[] {
  const { spec, ...rest } = how;
  const cells = directionCells(test.direction);
  const plans = interleave(
    test.repeats,
    cells.map(({ cell }) => ({ cell, spec })),
    rest,
  );
  return plans.map((plan, i) => ({ ...plan, ...startOf(cells[i % cells.length]?.direction ?? 'forward') }));
}
