import type { Sharing } from '@plumbline/measure';
import type { End, Ending, Labels, Metric, Path } from '@plumbline/model';
import type { z } from 'zod';

/** One execution to come: which measurement with which tool, and what makes it differ from its siblings. */
export interface AttemptPlan {
  /** Counts from 1. */
  readonly repeat: number;
  /** Labels that this attempt's metrics carry: direction, algorithm, window, ... */
  readonly cell: Labels;
  readonly measurement: string;
  readonly schemaVersion: number;
  readonly tool: string;
  /** The spec that goes to the probes. */
  readonly spec: unknown;
  /**
   * `far`: the destination's probe starts it and the source's answers, for what only the sending side can measure (a path MTU,
   * a trace). Such an attempt's near end is the destination. Absent: it starts at the source, as all others do.
   */
  readonly startsAt?: End;
  /** It only helps the others: its failure is no failure of the step. */
  readonly optional?: boolean;
}

/** What one attempt gave, for the step's summary. Retries that were replaced are not among them. */
export interface AttemptResult {
  readonly plan: AttemptPlan;
  readonly ending: Ending;
  readonly metrics: readonly Metric[];
}

/** What a kind says of itself, with the type of its test. */
interface TypedKind<T extends z.ZodType> {
  readonly kind: string;
  readonly title: string;
  readonly description: string;
  readonly sharing: Sharing;
  /**
   * Both ends are asked for all of a step's attempts before the first begins: what they refuse is on record by then. Absent:
   * each attempt is judged when its turn comes. A kind that plans its next attempt from results cannot have it.
   */
  readonly asksFirst?: boolean;
  readonly test: T;
  /** Names of the metrics that a step of this kind can have: a criterion on another is refused when the plan is stored. */
  readonly metrics: readonly string[];
  /** Labels that a step's metrics can carry, with the values that they can have; an empty list: any. */
  readonly labels: (test: z.output<T>) => Readonly<Partial<Record<keyof Labels, readonly string[]>>>;
  readonly attempts: (test: z.output<T>, path: Path) => readonly AttemptPlan[];
  /** What of the test cannot go together on any path: a plan that asks for it is refused, with these fields. */
  readonly conflicts?: (test: z.output<T>) => readonly { readonly field: string; readonly why: string }[];
  /** Why nothing of the test could be measured on this path, as a sentence with what to do; undefined: it can be. */
  readonly misfit?: (test: z.output<T>, path: Path) => string | undefined;
  /** The step's metrics: medians over its repeats with spread, per cell. */
  readonly summarise: (test: z.output<T>, results: readonly AttemptResult[]) => readonly Metric[];
}

/** What the core sees: no type parameter, so that all kinds fit in one list. Each method parses the raw test. */
export interface Kind extends Omit<TypedKind<z.ZodType>, 'labels' | 'attempts' | 'conflicts' | 'misfit' | 'summarise'> {
  /** @throws {z.ZodError} when the test does not fit */
  readonly labels: (test: unknown) => Readonly<Partial<Record<keyof Labels, readonly string[]>>>;
  /** @throws {z.ZodError} when the test does not fit */
  readonly attempts: (test: unknown, path: Path) => readonly AttemptPlan[];
  /** @throws {z.ZodError} when the test does not fit */
  readonly conflicts: (test: unknown) => readonly { readonly field: string; readonly why: string }[];
  /** @throws {z.ZodError} when the test does not fit */
  readonly misfit: (test: unknown, path: Path) => string | undefined;
  /** @throws {z.ZodError} when the test does not fit */
  readonly summarise: (test: unknown, results: readonly AttemptResult[]) => readonly Metric[];
}

/** Hides the type of a kind's test behind its schema. */
export const defineKind = <T extends z.ZodType>(k: TypedKind<T>): Kind => ({
  kind: k.kind,
  title: k.title,
  description: k.description,
  sharing: k.sharing,
  ...(k.asksFirst ? { asksFirst: true } : {}),
  test: k.test,
  metrics: k.metrics,
  labels: (test) => k.labels(k.test.parse(test)),
  attempts: (test, path) => k.attempts(k.test.parse(test), path),
  conflicts: (test) => k.conflicts?.(k.test.parse(test)) ?? [],
  misfit: (test, path) => k.misfit?.(k.test.parse(test), path),
  summarise: (test, results) => k.summarise(k.test.parse(test), results),
});
