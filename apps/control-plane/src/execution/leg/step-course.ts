import { type AttemptPlan, type AttemptResult, isAdaptive, type Kind } from '@plumbline/plans';
import type { LegDocument, StepDocument } from './leg-document.js';

/**
 * Which attempts a step has, one after the other. Those that were begun are what their rows say; the next one of an adaptive
 * kind follows from the results so far, which are read from Postgres: so a step goes on alike whoever walks it.
 */
export class StepCourse {
  /** What is known before anything was measured; nothing of an adaptive kind. */
  readonly listed: readonly AttemptPlan[];

  /** @throws {z.ZodError} when the test does not fit its kind */
  constructor(
    private readonly kind: Kind,
    private readonly leg: Pick<LegDocument, 'path'>,
    private readonly step: Pick<StepDocument, 'test' | 'attempts'>,
  ) {
    this.listed = isAdaptive(kind) ? [] : kind.attempts(step.test, leg.path.path);
  }

  /** @returns undefined when there is nothing more to do */
  plan(planIndex: number, results: readonly AttemptResult[]): AttemptPlan | undefined {
    const begun = this.step.attempts.find((attempt) => attempt.planIndex === planIndex)?.plan;
    if (begun) return begun;
    if (!isAdaptive(this.kind)) return this.listed[planIndex];
    return this.kind.next(this.step.test, this.leg.path.path, results);
  }
}
