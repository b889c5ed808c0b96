import { reachabilityLimits } from '@plumbline/measure';
import { z } from 'zod';
import { asDeadline, direction, everyTest, omitsNothing } from '../../parameters.js';

const { port, count, intervalS, deadlineS } = reachabilityLimits;

/** As long as one transfer may take. */
const LONGEST_S = 3600;

/** A few TCP SYNs to one port: open, closed, filtered, or rejected and by whom. */
export const ReachabilityTest = z
  .strictObject({
    kind: z.literal('reachability'),
    ...everyTest,
    direction,
    durationS: asDeadline(deadlineS),
    omitS: omitsNothing('every SYN counts, the first one too: an application sends no other'),
    port: port.meta({ description: 'TCP port at the far end.' }),
    count: count.default(5).meta({ description: 'How many SYNs.' }),
    intervalS: intervalS.default(0.5).meta({ description: 'Seconds between two SYNs.' }),
  })
  .superRefine((test, context) => {
    // zod comes here too when a field is out of its limits; that is said already.
    if (context.issues.length > 0 || test.count * test.intervalS <= LONGEST_S) return;
    const message = `count times intervalS is more than ${LONGEST_S} s: lower one of them`;
    context.addIssue({ code: 'custom', path: ['count'], message });
  })
  .meta({ id: 'ReachabilityTest' });
export type ReachabilityTest = z.output<typeof ReachabilityTest>;
