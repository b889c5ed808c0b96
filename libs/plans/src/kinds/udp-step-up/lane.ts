import { udpLoad } from '@plumbline/measure';
import type { Labels } from '@plumbline/model';
import { ownValue } from '../../derive.js';
import type { AttemptPlan, AttemptResult } from '../../kind.js';
import type { Load } from './climb.js';

/** The sender fell this short of what it was asked: more cannot be offered from there. */
const SHORTFALL = 0.05;

export const isLoad = ({ plan }: Pick<AttemptResult, 'plan'>): boolean => plan.measurement === udpLoad.kind;

/** The labels of a climb as a whole: those of its loads without what was offered. */
export const sideOf = ({ direction }: Labels): Labels => (direction === undefined ? {} : { direction });

/** A load as the climb sees it: what was asked for, and its loss. */
export function loadOf(result: AttemptResult): Load {
  const lossRatio = ownValue(result, 'loss');
  return {
    offeredBps: Number(result.plan.cell.offeredBps),
    lossRatio: typeof lossRatio === 'number' ? lossRatio : null,
  };
}

export function fellShort(result: AttemptResult): boolean {
  const offered = ownValue(result, 'offered');
  return typeof offered === 'number' && offered < loadOf(result).offeredBps * (1 - SHORTFALL);
}

/** Results of one repeat and direction, in the order in which they were carried out. */
export const ofLane = (
  results: readonly AttemptResult[],
  { repeat, cell }: Pick<AttemptPlan, 'repeat' | 'cell'>,
): readonly AttemptResult[] =>
  results.filter(({ plan }) => plan.repeat === repeat && sideOf(plan.cell).direction === sideOf(cell).direction);
