import { pathMtuLimits } from '@plumbline/measure';
import { z } from 'zod';
import { asDeadline, direction, everyTest, omitsNothing } from '../../parameters.js';

const { ceilingBytes, echoes, deadlineS } = pathMtuLimits;

/** How large a packet may be that gets through whole, each way. */
export const PathMtuTest = z
  .strictObject({
    kind: z.literal('path-mtu'),
    ...everyTest,
    direction: direction.removeDefault().default('both'),
    durationS: asDeadline(deadlineS),
    omitS: omitsNothing('a size gets through or it does not, at the start as well as later'),
    ceilingBytes: ceilingBytes.optional().meta({
      description: "Largest IP packet to try; the path's MTU when absent, and 1500 where the path names none.",
    }),
    echoes: echoes.default(3).meta({ description: 'How often each size is tried.' }),
  })
  .meta({ id: 'PathMtuTest' });
export type PathMtuTest = z.output<typeof PathMtuTest>;
