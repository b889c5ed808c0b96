import { firstSizesBytes, pathMtu, sizesBetween } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { startOf } from '../../attempt-side.js';
import { ownValue } from '../../derive.js';
import { directionCells } from '../../expand.js';
import type { AttemptPlan, AttemptResult } from '../../kind.js';
import type { PathMtuTest } from './test.js';

const DEFAULT_CEILING_BYTES = 1500;
/** Fifteen sizes a round leave at most one of 65535 sizes after four; the fifth is for sizes that were lost. */
const MOST_ROUNDS = 5;

/** One way and repeat: rounds that narrow the gap, where a black hole says nothing of itself. */
export interface Gap {
  readonly passedBytes: number;
  readonly refusedBytes: number;
  readonly blackHole: boolean;
}

/** What the rounds of one way and repeat found together; undefined: the last one gave nothing. */
export function gapOf(rounds: readonly AttemptResult[]): Gap | undefined {
  const numbers = (name: string): number[] =>
    rounds.map((round) => ownValue(round, name)).filter((value) => typeof value === 'number');
  const passed = numbers('path-mtu');
  // A round in which everything passed has refused nothing: then an earlier round's word stands.
  const refused = numbers('path-mtu.refused');
  if (passed.length < rounds.length || passed.length === 0 || refused.length === 0) return undefined;
  return {
    passedBytes: Math.max(...passed),
    refusedBytes: Math.min(...refused),
    blackHole: numbers('black-hole').includes(1),
  };
}

/**
 * The next attempt: each repeat and way begins with sizes that are met; a hop that names the MTU ends it. A black hole is
 * narrowed down round by round. Ends: the rounds are counted.
 */
export function nextAttempt(test: PathMtuTest, path: Path, results: readonly AttemptResult[]): AttemptPlan | undefined {
  for (let repeat = 1; repeat <= test.repeats; repeat += 1)
    for (const { direction, cell } of directionCells(test.direction)) {
      const rounds = roundsOf(results, repeat, cell);
      const sizesBytes = sizesOf(test, path, rounds);
      if (sizesBytes === undefined) continue;
      const spec = pathMtu.spec.parse({ sizesBytes, echoes: test.echoes, deadlineS: test.durationS });
      const { kind, schemaVersion } = pathMtu;
      return { repeat, cell, measurement: kind, schemaVersion, tool: 'ping', spec, ...startOf(direction) };
    }
  return undefined;
}

export const roundsOf = (
  results: readonly AttemptResult[],
  repeat: number,
  cell: AttemptPlan['cell'],
): readonly AttemptResult[] =>
  results.filter(({ plan }) => plan.repeat === repeat && plan.cell.direction === cell.direction);

/** The size that passed is tried again beside those in the gap, so that silence can be told from a path that went down. */
function sizesOf(test: PathMtuTest, path: Path, rounds: readonly AttemptResult[]): readonly number[] | undefined {
  if (rounds.length === 0) return firstSizesBytes(test.ceilingBytes ?? path.mtu ?? DEFAULT_CEILING_BYTES);
  const gap = gapOf(rounds);
  if (!gap?.blackHole || rounds.length >= MOST_ROUNDS) return undefined;
  const between = sizesBetween(gap.passedBytes, gap.refusedBytes);
  return between.length > 0 ? [gap.passedBytes, ...between] : undefined;
}
