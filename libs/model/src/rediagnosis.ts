import { z } from 'zod';
import { Diagnosis, Finding } from './finding.js';
import { LabelKey } from './metric.js';
import { Name } from './names.js';

/** One finding that the rules now see otherwise. Absent: one of the two does not have it. */
export const FindingChange = z
  .object({
    step: z.int(),
    code: Finding.shape.code,
    labels: z.partialRecord(LabelKey, z.string()).optional(),
    before: Finding.optional(),
    after: Finding.optional(),
  })
  .meta({ id: 'FindingChange' });
export type FindingChange = z.output<typeof FindingChange>;

/** A leg diagnosed again from its stored facts by today's rules, beside the record. */
export const LegRediagnosis = z
  .object({
    leg: z.int(),
    path: Name,
    /** Absent: it had none. */
    before: Diagnosis.optional(),
    /** Absent: nothing was attempted. */
    after: Diagnosis.optional(),
    /** What the rules conclude now, of each step; `findings[i]` is of step i. */
    findings: z.array(z.array(Finding)),
    changes: z.array(FindingChange),
  })
  .meta({ id: 'LegRediagnosis' });
export type LegRediagnosis = z.output<typeof LegRediagnosis>;

export const Rediagnosis = z
  .object({
    /** Whether the record is now what today's rules say. */
    stored: z.boolean(),
    /** Of the rules that made `after`. */
    ruleSet: z.string(),
    legs: z.array(LegRediagnosis),
  })
  .meta({ id: 'Rediagnosis' });
export type Rediagnosis = z.output<typeof Rediagnosis>;
