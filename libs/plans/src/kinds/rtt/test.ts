import { rttLimits, throughputLimits } from '@plumbline/measure';
import { z } from 'zod';
import { everyTest } from '../../parameters.js';

/** How many echoes when neither count nor durationS says. */
const DEFAULT_COUNT = 20;
const DEFAULT_INTERVAL_S = 0.2;

/** Echo requests at a fixed interval. With both `count` and `durationS` given, the one that is reached first ends it. */
export const RttTest = z
  .strictObject({
    kind: z.literal('rtt'),
    ...everyTest,
    direction: z
      .literal('forward', { error: 'forward: a round trip already has both directions, and the source sends it' })
      .default('forward'),
    count: rttLimits.count
      .optional()
      .meta({ description: `Echo requests that are counted; ${DEFAULT_COUNT} by default.` }),
    intervalS: rttLimits.intervalS.default(DEFAULT_INTERVAL_S).meta({ description: 'Seconds between two requests.' }),
    durationS: throughputLimits.durationS.optional().meta({ description: 'Send for this long instead of a count.' }),
    omitS: throughputLimits.omitS
      .default(0)
      .meta({ description: 'Seconds at the start that are not counted: ARP and the like.' }),
    payloadBytes: rttLimits.payloadBytes.default(56).meta({ description: 'ICMP data bytes of each request.' }),
    method: z.literal('icmp', { error: 'icmp; this version cannot measure rtt by tcp-syn' }).default('icmp'),
  })
  .superRefine((test, context) => {
    if (echoCount(test) > 100_000)
      context.addIssue({ code: 'custom', path: ['durationS'], message: 'more than 100000 requests: raise intervalS' });
  })
  .meta({ id: 'RttTest' });
export type RttTest = z.output<typeof RttTest>;

/** How many echoes are counted. */
export function echoCount(test: { count?: number; durationS?: number; intervalS: number }): number {
  if (test.durationS === undefined) return test.count ?? DEFAULT_COUNT;
  const inTime = Math.max(1, Math.round(test.durationS / test.intervalS));
  return Math.min(inTime, test.count ?? inTime);
}
