import type { Ending, Labels, Metric, Path } from '@plumbline/model';
import type { z } from 'zod';

/** One execution to come: which measurement with which tool, and what makes it differ from its siblings. */
export interface AttemptPlan {
  readonly repeat: number;
  /** Labels that this attempt's metrics carry: direction, algorithm, window, ... */
  readonly cell: Labels;
  readonly measurement: string;
  readonly schemaVersion: number;
  readonly tool: string;
  /** The spec that goes to the probes. */
  readonly spec: unknown;
}

/** What one attempt gave, for the step's summary. Retries that were replaced are not among them. */
export interface AttemptResult {
  readonly plan: AttemptPlan;
  readonly ending: Ending;
  readonly metrics: readonly Metric[];
}

export interface Kind<T extends z.ZodType = z.ZodType> {
  readonly kind: string;
  readonly title: string;
  readonly description: string;
  readonly sharing: 'exclusive' | 'shared';
  readonly test: T;
  /** Names of the metrics that a step of this kind can have: a criterion on another is refused when the plan is stored. */
  readonly metrics: readonly string[];
  readonly attempts: (test: z.output<T>, path: Path) => readonly AttemptPlan[];
  /** The step's metrics: medians over its repeats with spread, per cell. */
  readonly summarise: (test: z.output<T>, results: readonly AttemptResult[]) => readonly Metric[];
}
