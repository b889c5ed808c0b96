import { Injectable } from '@nestjs/common';
import { type Ability, abilityOf, parseSnapshot, parseSs } from '@plumbline/measure';
import {
  type CriterionResult,
  combineVerdicts,
  type End,
  type HostSnapshot,
  type Metric,
  type Path,
  type SocketSample,
  type Verdict,
} from '@plumbline/model';
import { type AttemptResult, Criterion, evaluate, type Kind, kindOf, Test } from '@plumbline/plans';
import type { RawFact } from '@plumbline/probe-rpc';
import { z } from 'zod';

/** What the execution needs to know of any test, whatever its kind. */
export const AnyTest = z.looseObject({
  kind: z.string(),
  name: z.string().optional(),
  onFailure: z.enum(['continue', 'stop']).default('continue'),
});
export type AnyTest = z.output<typeof AnyTest>;
/** `run.plan_document`. */
export const PlanDocument = z.object({ tests: z.array(AnyTest), criteria: z.array(z.unknown()).default([]) });
export type PlanDocument = z.output<typeof PlanDocument>;

/** A step as it ended, for its criteria. */
export interface EndedStep {
  readonly test: AnyTest;
  readonly metrics: readonly Metric[];
  readonly results: readonly AttemptResult[];
}

/** What can be measured, and how it is read: the one place where execution meets kinds, tools and parsers. */
@Injectable()
export class Catalogue {
  abilityOf(measures: string, tool: string): Ability | undefined {
    return abilityOf(measures, tool);
  }

  kindOf(kind: string): Kind | undefined {
    return kindOf(kind);
  }

  /** Reads one output of ss. */
  readSample(text: string, end: End, elapsedMs: number): { samples: SocketSample[]; notes: string[] } {
    return parseSs(text, end, elapsedMs);
  }

  readFacts(facts: readonly RawFact[], takenAt: Date): HostSnapshot {
    return parseSnapshot(facts, { takenAt: takenAt.toISOString() });
  }

  /** Judges a leg's criteria; steps whose test this version cannot read make theirs inconclusive. */
  judge(criteria: readonly unknown[], steps: readonly EndedStep[], path: Path): JudgedCriteria {
    const measured = steps.flatMap((step) => {
      const test = Test.safeParse(step.test);
      return test.success ? [{ test: test.data, metrics: step.metrics, results: step.results }] : [];
    });
    const results = evaluate(z.array(Criterion).parse(criteria), measured, { path });
    return { criteria: results, verdict: combineVerdicts(results.map((result) => result.verdict)) };
  }
}

export interface JudgedCriteria {
  readonly criteria: readonly CriterionResult[];
  readonly verdict: Verdict;
}
