import { Name } from '@plumbline/model';
import { z } from 'zod';

/** What every test of a plan may say besides its own parameters. */
export const everyTest = {
  name: Name.optional().meta({ description: 'Names the test within the plan; criteria refer to it.' }),
  repeats: z.int().min(1).max(100).default(1).meta({ description: 'How often each cell is measured.' }),
  onFailure: z
    .enum(['continue', 'stop'])
    .default('continue')
    .meta({ description: 'Whether a failed step stops its leg.' }),
};

/** Of what cannot run both ways at once: it says so instead of running one after the other. */
export const direction = z
  .enum(['forward', 'reverse', 'both'], {
    error: 'forward, reverse or both; this kind cannot run both directions at the same time (simultaneous)',
  })
  .default('forward')
  .meta({ description: 'forward: source to destination; reverse: the other way; both: one after the other.' });

export const bulkDirection = z.enum(['forward', 'reverse', 'both', 'simultaneous']).default('forward').meta({
  description:
    'forward: source to destination; reverse: the other way; both: one after the other; simultaneous: both ways at once.',
});
