import { reachabilityLimits } from '@plumbline/measure';
import { z } from 'zod';
import { direction, everyTest } from '../../parameters.js';

const { port, count, intervalS } = reachabilityLimits;

/** A few TCP SYNs to one port: open, closed, filtered, or rejected and by whom. */
export const ReachabilityTest = z
  .strictObject({
    kind: z.literal('reachability'),
    ...everyTest,
    direction,
    port: port.meta({ description: 'TCP port at the far end.' }),
    count: count.default(5).meta({ description: 'How many SYNs.' }),
    intervalS: intervalS.default(0.5).meta({ description: 'Seconds between two SYNs.' }),
  })
  .meta({ id: 'ReachabilityTest' });
export type ReachabilityTest = z.output<typeof ReachabilityTest>;
