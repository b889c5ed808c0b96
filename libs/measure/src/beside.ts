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

/** Phases that run at the same time: the one that decides how long, and those beside it, in the order in which they start. */
export interface PhaseGroup {
  readonly main: Phase;
  readonly beside: readonly (BesidePhase & { readonly beside: Beside })[];
}

/**
 * Phases in groups, one group after the other. Those beside something belong to the next phase that is not; where none
 * follows, the last of them is waited for as ever.
 */
export function groupsOf(phases: readonly BesidePhase[]): readonly PhaseGroup[] {
  const groups: PhaseGroup[] = [];
  let waiting: (BesidePhase & { readonly beside: Beside })[] = [];
  for (const [i, phase] of phases.entries()) {
    if (isBeside(phase) && i < phases.length - 1) waiting.push(phase);
    else {
      groups.push({ main: phase, beside: waiting });
      waiting = [];
    }
  }
  return groups;
}

const isBeside = (phase: BesidePhase): phase is BesidePhase & { readonly beside: Beside } => phase.beside !== undefined;
