import { pathMtuLimits } from '@plumbline/measure';
import { z } from 'zod';
import { direction, everyTest } from '../../parameters.js';

const { ceilingBytes, echoes } = pathMtuLimits;

/** How large a packet may be that gets through whole, each way. */
export const PathMtuTest = z
  .strictObject({
    kind: z.literal('path-mtu'),
    ...everyTest,
    direction: direction.removeDefault().default('both'),
    ceilingBytes: ceilingBytes.optional().meta({
      description: "Largest IP packet to try; the path's MTU when absent, and 1500 where the path names none.",
    }),
    echoes: echoes.default(3).meta({ description: 'How often each size is tried.' }),
  })
  .meta({ id: 'PathMtuTest' });
export type PathMtuTest = z.output<typeof PathMtuTest>;
