import { Name } from '@plumbline/model';
import { z } from 'zod';

/**
 * Tests and criteria as they were stored. They were read when they came; a later version that takes less must still show
 * what an earlier one ran, so their parameters are not read again.
 */
export const StoredTests = z.object({
  tests: z.array(z.looseObject({ kind: z.string(), name: z.string().optional() }).meta({ id: 'StoredTest' })),
  criteria: z.array(z.looseObject({ metric: z.string() }).meta({ id: 'StoredCriterion' })),
});
export type StoredTests = z.output<typeof StoredTests>;

export const Plan = z
  .object({
    name: Name,
    version: z.int().meta({ description: 'Counts from 1; a changed plan is a new version' }),
    ...StoredTests.shape,
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime().meta({ description: 'When this version was stored' }),
  })
  .meta({ id: 'Plan' });
export type Plan = z.output<typeof Plan>;
