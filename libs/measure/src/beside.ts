import type { Phase } from './ability.js';

/** What one phase has to do with the next one when both run at the same time. */
export interface Beside {
  /** The next phase starts this long after this one: a load is then under way. */
  readonly leadMs: number;
  /** How long it may go on after the phase beside it has ended; then it is ended. */
  readonly graceMs: number;
}

/**
 * A phase that runs beside those after it, up to and including the next one that is not beside: a load under a measurement,
 * or several short programs at once. Absent: the phases after it wait for its end, as ever.
 */
export interface BesidePhase extends Phase {
  readonly beside?: Beside;
}
