import { hopsLimits } from '@plumbline/measure';
import { z } from 'zod';
import { direction, everyTest, omitsNothing } from '../../parameters.js';

const { sizes, repetitions, maxHops, maxDurationS } = hopsLimits;

const DEFAULT_DURATION_S = 900;

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
    durationS: maxDurationS.optional().meta({
      description: `Ends after this long with the hops until then, which then are the answer: routers that limit their ICMP make it slow. ${DEFAULT_DURATION_S} when absent.`,
    }),
    maxDurationS: maxDurationS.optional().meta({ description: 'The same as durationS.' }),
    omitS: omitsNothing('the fastest packet of each size counts, so a slow start does no harm'),
  })
  .superRefine(({ durationS, maxDurationS: most }, context) => {
    if (durationS === undefined || most === undefined || durationS === most) return;
    const message = 'durationS and maxDurationS say the same thing: give one of them';
    context.addIssue({ code: 'custom', path: ['durationS'], message });
  })
  .meta({ id: 'HopCharacterizationTest' });
export type HopCharacterizationTest = z.output<typeof HopCharacterizationTest>;

/** Seconds after which it ends with what it has. */
export const longestS = ({
  durationS,
  maxDurationS: most,
}: Pick<HopCharacterizationTest, 'durationS' | 'maxDurationS'>): number => durationS ?? most ?? DEFAULT_DURATION_S;
