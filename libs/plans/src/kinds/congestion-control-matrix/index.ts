import { fairness, throughput } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { byDirection } from '../../derive.js';
import { directionCells, directionLabels } from '../../expand.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { transferAttempts } from '../../throughput-attempts.js';
import { CongestionControlMatrixTest } from './test.js';

/**
 * Both ends are asked for every algorithm before the first transfer starts (the ability refuses what the sender cannot run,
 * with the end and what it has instead); a cell that is refused costs no traffic and does not stop the others.
 */
function attempts(test: CongestionControlMatrixTest, path: Path) {
  const { durationS, omitS, streams, windowBytes, mssBytes, dscp } = test;
  const chosen = { durationS, omitS, streams, windowBytes, mssBytes, dscp };
  const cells = directionCells(test.direction).flatMap(({ direction, cell }) =>
    test.algorithms.map((algorithm) => ({
      cell: { ...cell, algorithm },
      transfer: { ...chosen, direction, congestionControl: algorithm },
    })),
  );
  const plans = transferAttempts(test.repeats, cells, path);
  return test.order === 'interleaved' ? plans : grouped(plans, cells.length);
}

/** Interleaved plans, put into the order of their cells: all repeats of the first, then of the next. */
const grouped = <T>(plans: readonly T[], cellCount: number): T[] =>
  Array.from({ length: cellCount }, (_, cell) => plans.filter((_, i) => i % cellCount === cell)).flat();

export const congestionControlMatrix = defineKind({
  kind: 'congestion-control-matrix',
  title: 'Congestion controls compared',
  description:
    'The same transfer under several congestion controls, interleaved: before two throughputs are compared, ask what congestion control each end ran.',
  sharing: throughput.sharing,
  asksFirst: true,
  test: CongestionControlMatrixTest,
  metrics: [...throughput.metrics, fairness].map((fact) => fact.name),
  labels: (test) => ({
    algorithm: test.algorithms,
    ...(test.streams > 1 ? { stream: Array.from({ length: test.streams }, (_, i) => String(i + 1)) } : {}),
    ...directionLabels(test.direction),
  }),
  attempts,
  summarise: ({ streams }, results) =>
    summarise(streams > 1 ? [...throughput.metrics, fairness] : throughput.metrics, byDirection(results)),
});
export { CongestionControlMatrixTest } from './test.js';
