import { hopsLimits } from '@plumbline/measure';
import { z } from 'zod';
import { direction, everyTest } from '../../parameters.js';

const { sizes, repetitions, maxHops, maxDurationS } = hopsLimits;

/** Which link is the slow one. */
export const HopCharacterizationTest = z
  .strictObject({
    kind: z.literal('hop-characterization'),
    ...everyTest,
    direction,
    sizes: sizes.default(16).meta({ description: "How many sizes of packets, up to the path's MTU." }),
    repetitions: repetitions
      .default(16)
      .meta({ description: 'How often each size is sent to each hop; the fastest counts.' }),
    maxHops: maxHops.default(30),
    maxDurationS: maxDurationS.default(900).meta({
      description: 'Ends after this long with the hops until then: routers that limit their ICMP make it slow.',
    }),
  })
  .meta({ id: 'HopCharacterizationTest' });
export type HopCharacterizationTest = z.output<typeof HopCharacterizationTest>;
