import { firstSizesBytes, pathMtu, udpLoad, unfragmentedPayloadBytes } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { startOf } from '../../attempt-side.js';
import { ownValue } from '../../derive.js';
import { directionCells } from '../../expand.js';
import type { AttemptPlan, AttemptResult } from '../../kind.js';
import { nextRateBps } from './climb.js';
import { fellShort, isLoad, loadOf, ofLane } from './lane.js';
import { climbOf, LEAST_BPS } from './plan.js';
import { stepS, type UdpStepUpTest } from './test.js';

const DEFAULT_MTU_BYTES = 1500;
type Lane = Pick<AttemptPlan, 'repeat' | 'cell'> & { readonly direction: 'forward' | 'reverse' };

/**
 * The next attempt: each repeat and direction is a climb of its own, and none begins before the one before is over. A climb
 * starts with the path MTU, unless the test names a payload, so that no datagram travels in pieces.
 */
export function nextAttempt(
  test: UdpStepUpTest,
  path: Path,
  results: readonly AttemptResult[],
): AttemptPlan | undefined {
  for (const lane of lanesOf(test)) {
    const plan = nextOfLane(test, path, lane, ofLane(results, lane));
    if (plan) return plan;
  }
  return undefined;
}

function lanesOf(test: UdpStepUpTest): readonly Lane[] {
  const directions = directionCells(test.direction);
  return Array.from({ length: test.repeats }, (_, i) => directions.map((one) => ({ repeat: i + 1, ...one }))).flat();
}

function nextOfLane(
  test: UdpStepUpTest,
  path: Path,
  { direction, ...lane }: Lane,
  done: readonly AttemptResult[],
): AttemptPlan | undefined {
  const mtu = done.find((result) => !isLoad(result));
  if (test.payloadBytes === undefined && !mtu) return mtuAttempt(path, lane, direction);
  const payloadBytes = test.payloadBytes ?? unfragmentedPayloadBytes(knownMtuBytes(path, mtu));
  const climb = climbOf(test, path, payloadBytes);
  const loads = done.filter(isLoad);
  if (!climb || loads.some(fellShort)) return undefined;
  const rateBps = nextRateBps(climb, loads.map(loadOf));
  if (rateBps === undefined || rateBps < LEAST_BPS) return undefined;
  const spec = udpLoad.spec.parse({
    direction,
    durationS: stepS(test),
    rateBps,
    payloadBytes,
    ...(test.dscp === undefined ? {} : { dscp: test.dscp }),
  });
  const { kind, schemaVersion } = udpLoad;
  const cell = { ...lane.cell, offeredBps: String(rateBps) };
  return { repeat: lane.repeat, cell, measurement: kind, schemaVersion, tool: 'iperf3', spec };
}

function mtuAttempt(path: Path, lane: Omit<Lane, 'direction'>, direction: Lane['direction']): AttemptPlan {
  const spec = pathMtu.spec.parse({ sizesBytes: firstSizesBytes(path.mtu ?? DEFAULT_MTU_BYTES) });
  const { kind, schemaVersion } = pathMtu;
  // Without it the path's promise is taken.
  return { ...lane, measurement: kind, schemaVersion, tool: 'ping', spec, optional: true, ...startOf(direction) };
}

/** Measured if it could be; else what the path promises; never more than that. */
function knownMtuBytes(path: Path, mtu: AttemptResult | undefined): number {
  const promised = path.mtu ?? DEFAULT_MTU_BYTES;
  const measured = mtu ? ownValue(mtu, 'path-mtu') : undefined;
  return typeof measured === 'number' ? Math.min(measured, promised) : promised;
}
