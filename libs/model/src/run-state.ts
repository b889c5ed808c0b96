import { z } from 'zod';

export const RunState = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']);
export type RunState = z.output<typeof RunState>;
export const StepState = z.enum([...RunState.options, 'skipped']);
export type StepState = z.output<typeof StepState>;
export const Verdict = z.enum(['pass', 'fail', 'inconclusive', 'none']);
export type Verdict = z.output<typeof Verdict>;

/** The one table of legal transitions, for runs, legs and steps. What is not here is a bug of ours. */
export const TRANSITIONS: Readonly<Record<StepState, readonly StepState[]>> = {
  queued: ['running', 'failed', 'cancelled', 'skipped'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  skipped: [],
};

/**
 * What a new reading of stored output may make of an ended run, leg or step: the output may tell now that it succeeded, or that it
 * did not. What somebody cancelled, and what was not carried out, is not made good by reading. Nobody works on it any more.
 */
export const REREADINGS: Readonly<Record<StepState, readonly StepState[]>> = {
  queued: [],
  running: [],
  succeeded: ['succeeded', 'failed'],
  failed: ['failed', 'succeeded'],
  cancelled: ['cancelled'],
  skipped: ['skipped'],
};

export const isTerminal = (state: StepState): boolean => TRANSITIONS[state].length === 0;
export const mayBecome = (from: StepState, to: StepState): boolean => TRANSITIONS[from].includes(to);
/** The states from which `to` may be reached: the guard in `UPDATE ... WHERE state IN (...)`. */
export const statesBefore = <S extends StepState>(to: S): StepState[] =>
  StepState.options.filter((from) => TRANSITIONS[from].includes(to));
/** The states that a new reading may turn into `to`, itself included. */
export const statesRereadAs = (to: StepState): StepState[] =>
  StepState.options.filter((from) => REREADINGS[from].includes(to));

/** A run's or leg's terminal state from those of its parts. Cancelled wins over failed: somebody decided it. */
export function combineStates(parts: readonly StepState[]): 'succeeded' | 'failed' | 'cancelled' {
  if (parts.includes('cancelled')) return 'cancelled';
  return parts.includes('failed') ? 'failed' : 'succeeded';
}

/** A run's verdict from those of its criteria: fail wins, then inconclusive; no criteria is `none`. */
export function combineVerdicts(verdicts: readonly Verdict[]): Verdict {
  for (const v of ['fail', 'inconclusive', 'pass'] as const) if (verdicts.includes(v)) return v;
  return 'none';
}
