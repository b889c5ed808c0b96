import { z } from 'zod';
import { CounterMovement } from './counter-movement.js';
import { EndAccount } from './end-account.js';
import { Diagnosis, Finding } from './finding.js';
import { Metric } from './metric.js';
import { Name } from './names.js';
import { Outcome, Reason, StepReason } from './outcome.js';
import { RouteChanges } from './route-changes.js';
import { RunState, StepState, Verdict } from './run-state.js';
import { End } from './socket-sample.js';

const when = z.iso.datetime().nullable();

export const Artifact = z
  .object({
    name: z.string(),
    end: End,
    tool: z.string(),
    stream: z.enum(['stdout', 'stderr', 'samples', 'facts', 'capture']),
    mediaType: z.string(),
    sizeBytes: z.int(),
    sha256: z.string(),
  })
  .meta({ id: 'Artifact' });
export type Artifact = z.output<typeof Artifact>;

/** A program that ran for an attempt, with the exact command line (credentials are never in an argv). */
export const Command = z
  .object({
    end: End,
    phase: z.string(),
    tool: z.string(),
    argv: z.array(z.string()),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    startedAt: when,
    endedAt: when,
  })
  .meta({ id: 'Command' });
export type Command = z.output<typeof Command>;

export const Attempt = z
  .object({
    n: z.int(),
    repeat: z.int(),
    cell: z.record(z.string(), z.string()).optional(),
    retryOf: z.int().optional(),
    startsAt: z.literal('far').optional().meta({
      description: "The destination's probe ran it (a trace in reverse, say): it is the near end of this attempt.",
    }),
    startedAt: when,
    endedAt: when,
    outcome: Outcome.nullable(),
    reason: Reason.optional(),
    detail: z.string().optional(),
    metrics: z.array(Metric),
    commands: z.array(Command),
    /** What the parsers did not understand, and other remarks on the record. */
    notes: z.array(z.string()),
    /** Sender and receiver, for a test that moves data between them: which of the two measured what, and what each really ran. */
    ends: z.array(EndAccount).optional(),
    /** Of a trace: what of the way is not as it was the last time. */
    changes: RouteChanges.optional(),
    /** How far each end's counters moved over the test. Absent: no program ran, or nothing was stored yet. */
    counters: z.partialRecord(End, CounterMovement).optional(),
    /** Clock of each probe minus ours, ms, with half the round trip as its error. */
    clockOffsets: z.partialRecord(End, z.object({ offsetMs: z.number(), errorMs: z.number() })).optional(),
  })
  .meta({ id: 'Attempt' });
export type Attempt = z.output<typeof Attempt>;

export const Step = z
  .object({
    kind: z.string(),
    name: z.string().optional(),
    state: StepState,
    reason: StepReason.optional(),
    detail: z.string().optional(),
    startedAt: when,
    endedAt: when,
    metrics: z.array(Metric),
    findings: z.array(Finding),
    attempts: z.array(Attempt),
  })
  .meta({ id: 'Step' });
export type Step = z.output<typeof Step>;

export const CriterionResult = z
  .object({
    index: z.int(),
    test: z.string().optional(),
    metric: z.string(),
    verdict: Verdict,
    measured: z.number().nullable(),
    limit: z.number().nullable(),
    text: z.string(),
  })
  .meta({ id: 'CriterionResult' });
export type CriterionResult = z.output<typeof CriterionResult>;

export const Leg = z
  .object({
    path: Name,
    state: RunState,
    reason: StepReason.optional(),
    detail: z.string().optional(),
    verdict: Verdict,
    criteria: z.array(CriterionResult),
    /** Absent until the leg has ended, and where it was ended before anything was measured. */
    diagnosis: Diagnosis.optional(),
    startedAt: when,
    endedAt: when,
    steps: z.array(Step),
  })
  .meta({ id: 'Leg' });
export type Leg = z.output<typeof Leg>;
