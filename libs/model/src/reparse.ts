import { z } from 'zod';
import { Metric } from './metric.js';
import { Outcome, Reason } from './outcome.js';

/** What was read out of what an attempt's programs left. */
export const AttemptReading = z
  .object({
    outcome: Outcome,
    reason: Reason.optional(),
    detail: z.string().optional(),
    metrics: z.array(Metric),
    notes: z.array(z.string()),
  })
  .meta({ id: 'AttemptReading' });
export type AttemptReading = z.output<typeof AttemptReading>;

/** One thing that the new reading tells otherwise. Absent: one of the two does not have it. */
export const ReadingDifference = z
  .object({
    /** `/outcome`, `/notes`, `/metrics/NAME` with its labels, or a JSON Pointer into the typed result: `/result/totals/receiver/bytes`. */
    path: z.string(),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
  })
  .meta({ id: 'ReadingDifference' });
export type ReadingDifference = z.output<typeof ReadingDifference>;

/** An attempt read again from its stored bytes by today's parsers, beside the record. */
export const Reparse = z
  .object({
    /** Whether the record is now the new reading. */
    stored: z.boolean(),
    before: AttemptReading,
    after: AttemptReading,
    differences: z.array(ReadingDifference),
    /** How many more differences there are than are listed. */
    moreDifferences: z.int(),
  })
  .meta({ id: 'Reparse' });
export type Reparse = z.output<typeof Reparse>;
