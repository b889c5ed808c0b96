import { udpLoadLimits } from '@plumbline/measure';
import { z } from 'zod';
import { direction, everyTest, omitsNothing } from '../../parameters.js';

const { rateBps, durationS, payloadBytes, dscp } = udpLoadLimits;
const share = z.number().positive().max(1);
const DEFAULT_STEP_S = 5;
/** More steps than this are no careful climb but a long one. */
export const MOST_STEPS = 200;

/**
 * A UDP load that rises step by step. Each of start, step and cap is a payload rate or a share of what the path's committed
 * rate carries of UDP payload; the cap is the committed rate unless said otherwise, start and step a tenth of the cap.
 */
export const UdpStepUpTest = z
  .strictObject({
    kind: z.literal('udp-step-up'),
    ...everyTest,
    direction,
    startRateBps: rateBps.optional().meta({ description: 'First load, payload bit/s.' }),
    stepRateBps: rateBps.optional().meta({ description: 'Each next load is this much above the last, payload bit/s.' }),
    maxRateBps: rateBps.optional().meta({ description: 'No load is ever above this, payload bit/s.' }),
    startShare: share.optional().meta({ description: 'First load as a share of the committed rate.' }),
    stepShare: share.optional().meta({ description: 'Step as a share of the committed rate.' }),
    maxShare: share.optional().meta({ description: 'Cap as a share of the committed rate; 1 when no cap is given.' }),
    stepDurationS: durationS.optional().meta({ description: `Seconds of each load; ${DEFAULT_STEP_S} when absent.` }),
    durationS: durationS.optional().meta({ description: 'The same as stepDurationS: seconds of each load.' }),
    omitS: omitsNothing(
      'a load without congestion control has no slow start; delivered.steady leaves out the seconds in which queues fill',
    ),
    stopLossRatio: z
      .number()
      .min(0)
      .max(1)
      .default(0.005)
      .meta({ description: 'A load that loses more than this is the last one that high.' }),
    payloadBytes: payloadBytes.optional().meta({
      description: 'Payload of a datagram. Absent: the largest that travels unfragmented, from the measured path MTU.',
    }),
    dscp: dscp.optional(),
  })
  .superRefine((test, context) => {
    const issue = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (test.startRateBps !== undefined && test.startShare !== undefined)
      issue('startShare', 'give startRateBps or startShare, not both');
    if (test.stepRateBps !== undefined && test.stepShare !== undefined)
      issue('stepShare', 'give stepRateBps or stepShare, not both');
    if (test.maxRateBps !== undefined && test.maxShare !== undefined)
      issue('maxShare', 'give maxRateBps or maxShare, not both');
    if (test.startRateBps !== undefined && test.maxRateBps !== undefined && test.startRateBps > test.maxRateBps)
      issue('startRateBps', 'the first load is above the cap');
    if (test.startShare !== undefined && test.startShare > (test.maxShare ?? 1))
      issue('startShare', 'the first load is above the cap');
    if (test.durationS !== undefined && test.stepDurationS !== undefined && test.durationS !== test.stepDurationS)
      issue('durationS', 'durationS and stepDurationS say the same thing: give one of them');
    if (tooManySteps(test)) issue('stepRateBps', `more than ${MOST_STEPS} steps up to the cap: raise the step`);
  })
  .meta({ id: 'UdpStepUpTest' });
export type UdpStepUpTest = z.output<typeof UdpStepUpTest>;

/** Seconds of each load. */
export const stepS = ({ durationS, stepDurationS }: Pick<UdpStepUpTest, 'durationS' | 'stepDurationS'>): number =>
  stepDurationS ?? durationS ?? DEFAULT_STEP_S;

function tooManySteps(test: {
  readonly stepRateBps?: number | undefined;
  readonly maxRateBps?: number | undefined;
  readonly stepShare?: number | undefined;
  readonly maxShare?: number | undefined;
}): boolean {
  const { stepRateBps, maxRateBps, stepShare, maxShare = 1 } = test;
  if (stepRateBps !== undefined && maxRateBps !== undefined) return maxRateBps / stepRateBps > MOST_STEPS;
  return stepShare !== undefined && maxRateBps === undefined && maxShare / stepShare > MOST_STEPS;
}
