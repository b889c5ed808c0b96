import type { Labels } from '@plumbline/model';
import type { AttemptPlan } from './kind.js';

/** A cell of a test: its labels, and what goes to the probes. */
export type Cell = Pick<AttemptPlan, 'cell' | 'spec'>;

/** Repeats of cells, interleaved (A B, A B, ...), so that a drift of the path touches all cells alike. `repeat` counts from 1. */
export function interleave(
  repeats: number,
  cells: readonly Cell[],
  how: Pick<AttemptPlan, 'measurement' | 'schemaVersion' | 'tool'>,
): readonly AttemptPlan[] {
  return Array.from({ length: repeats }, (_, i) => cells.map((cell) => ({ repeat: i + 1, ...how, ...cell }))).flat();
}

/**
 * The directions of a test, each with the label that tells it from the other; a single one carries no label, and of both at once
 * each metric carries its own.
 */
export function directionCells<D extends 'forward' | 'reverse' | 'simultaneous' = 'forward' | 'reverse'>(
  direction: D | 'both',
): readonly { direction: D | 'forward' | 'reverse'; cell: Labels }[] {
  if (direction !== 'both') return [{ direction, cell: {} }];
  return (['forward', 'reverse'] as const).map((d) => ({ direction: d, cell: { direction: d } }));
}

/** The values that the label `direction` can have in a test; none where it goes one way. */
export const directionLabels = (direction: string): { direction?: readonly string[] } =>
  direction === 'both' || direction === 'simultaneous' ? { direction: ['forward', 'reverse'] } : {};
