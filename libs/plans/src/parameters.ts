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

/** Of what has no start that could be left out: nothing but 0 is taken, and the refusal says why. */
export const omitsNothing = (why: string) =>
  z
    .literal(0, { error: `0: ${why}` })
    .optional()
    .meta({ description: `0 alone: ${why}.` });

/** Of what ends by itself: how long an attempt of it may take at most. */
export const asDeadline = <T extends z.ZodType>(deadlineS: T) =>
  deadlineS.optional().meta({
    description:
      'The longest that an attempt may take, in seconds: the probe ends it then, timed-out, with what it has until then.',
  });

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
