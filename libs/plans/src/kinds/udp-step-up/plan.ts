import { udpPayloadRateBps } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import type { Climb } from './climb.js';
import { MOST_STEPS, type UdpStepUpTest } from './test.js';

const DEFAULT_SHARE = 0.1;
/** Nothing is offered below this: a halving that gets there ends the climb. */
export const LEAST_BPS = 1000;

/** Rates of a climb on a path; undefined: neither the test nor the path says how far it may go. */
export function climbOf(test: UdpStepUpTest, path: Path, payloadBytes: number): Climb | undefined {
  const committedBps =
    path.committedRateBps === undefined
      ? undefined
      : udpPayloadRateBps(path.committedRateBps, path.rateLayer, payloadBytes);
  const of = (share: number | undefined): number | undefined =>
    share === undefined || committedBps === undefined ? undefined : share * committedBps;
  const maxRateBps = test.maxRateBps ?? of(test.maxShare ?? 1);
  if (maxRateBps === undefined || maxRateBps < LEAST_BPS) return undefined;
  if (committedBps === undefined && (test.startShare ?? test.stepShare ?? test.maxShare) !== undefined)
    return undefined;
  const startRateBps = test.startRateBps ?? of(test.startShare) ?? DEFAULT_SHARE * maxRateBps;
  const stepRateBps = test.stepRateBps ?? of(test.stepShare) ?? DEFAULT_SHARE * maxRateBps;
  return {
    startRateBps: Math.max(LEAST_BPS, Math.min(startRateBps, maxRateBps)),
    stepRateBps: Math.max(LEAST_BPS, stepRateBps, maxRateBps / MOST_STEPS),
    maxRateBps,
    stopLossRatio: test.stopLossRatio,
  };
}

const SOME_PAYLOAD_BYTES = 1452;
/** Whether test and path say how far a climb may go. */
export const hasCeiling = (test: UdpStepUpTest, path: Path): boolean =>
  climbOf(test, path, test.payloadBytes ?? SOME_PAYLOAD_BYTES) !== undefined;
