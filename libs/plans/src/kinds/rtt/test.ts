import { rttLimits, throughputLimits } from '@plumbline/measure';
import { Port } from '@plumbline/model';
import { z } from 'zod';
import { everyTest } from '../../parameters.js';

/** How many echoes when neither count nor durationS says. */
const DEFAULT_COUNT = 20;
const DEFAULT_INTERVAL_S = 0.2;

/** As long as one transfer may take: an attempt has its path for itself. */
const LONGEST_S = 3600;
const MOST_ECHOES = 100_000;

/** Echo requests, or SYNs, at a fixed interval, for so many of them or for so long. */
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
    method: z.enum(['icmp', 'tcp-syn']).default('icmp').meta({
      description:
        'What is sent: echoes by ping, or TCP SYNs by hping3, which a filter of ICMP lets through (IPv4 only).',
    }),
    port: Port.optional().meta({
      description: 'Of tcp-syn: the port at the far end, open or closed; 443 when absent.',
    }),
  })
  .superRefine((test, context) => {
    // zod comes here too when a field is out of its limits; that is said already.
    if (context.issues.length > 0) return;
    const issue = (path: keyof typeof test, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (test.count !== undefined && test.durationS !== undefined)
      return issue('count', 'give count or durationS, not both');
    if (test.port !== undefined && test.method !== 'tcp-syn') return issue('port', 'only tcp-syn has a port');
    const given = test.durationS !== undefined ? 'durationS' : test.count !== undefined ? 'count' : 'intervalS';
    const echoes = echoCount(test);
    if (echoes > MOST_ECHOES) issue(given, `more than ${MOST_ECHOES} requests: raise intervalS`);
    else if (echoes * test.intervalS > LONGEST_S)
      issue(given, `count times intervalS is more than ${LONGEST_S} s: lower one of them`);
  })
  .meta({ id: 'RttTest' });
export type RttTest = z.output<typeof RttTest>;

/** How many echoes are counted. */
export function echoCount(test: { count?: number; durationS?: number; intervalS: number }): number {
  if (test.durationS === undefined) return test.count ?? DEFAULT_COUNT;
  return Math.max(1, Math.round(test.durationS / test.intervalS));
}
