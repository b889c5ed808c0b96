import type { Path } from '@plumbline/model';
import type { z } from 'zod';
import type { AttemptPlan, AttemptResult, Kind } from './kind.js';

/**
 * A kind whose attempts depend on what the earlier ones gave. `attempts` then tells only those that are known before
 * anything was measured.
 */
export interface AdaptiveKind extends Kind {
  /**
   * The attempt after these results (in the order in which they were carried out, retries replaced); undefined: the step
   * is over. Pure, so that the same results always lead to the same next attempt, also after a restart.
   * @throws {z.ZodError} when the test does not fit
   */
  readonly next: (test: unknown, path: Path, results: readonly AttemptResult[]) => AttemptPlan | undefined;
}

/** Adds the way to the next attempt to a kind; the type of its test stays inside. */
export const defineAdaptiveKind = <T extends z.ZodType>(
  kind: Kind,
  schema: T,
  next: (test: z.output<T>, path: Path, results: readonly AttemptResult[]) => AttemptPlan | undefined,
): AdaptiveKind => ({ ...kind, next: (test, path, results) => next(schema.parse(test), path, results) });

export const isAdaptive = (kind: Kind): kind is AdaptiveKind => 'next' in kind;
