import type { BesidePhase, FarSide, Phase } from './ability.js';

/** Phases that run at the same time: those that decide how long, and those beside them, in the order in which they start. */
export interface PhaseGroup {
  readonly mains: readonly Phase[];
  readonly beside: readonly BesidePhase[];
}

/**
 * The near side's phases in groups, one group after the other. Those beside something belong to the next phase that is not;
 * where none follows, the last of them is waited for as ever.
 */
export function groupsOf(phases: readonly Phase[]): readonly PhaseGroup[] {
  const groups: PhaseGroup[] = [];
  let waiting: BesidePhase[] = [];
  for (const [i, phase] of phases.entries()) {
    if (isBeside(phase) && i < phases.length - 1) waiting.push(phase);
    else {
      groups.push({ mains: [phase], beside: waiting });
      waiting = [];
    }
  }
  return groups;
}

/** The far side's one group: its servers, and what accompanies them. */
export const groupOfFar = ({ servers, companions = [] }: FarSide): PhaseGroup => ({
  mains: servers,
  beside: companions,
});

const isBeside = (phase: Phase): phase is BesidePhase => phase.beside !== undefined;
