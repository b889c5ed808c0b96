import { fairness, ratioToSingle, throughput } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { directionCells, directionLabels } from '../../expand.js';
import { defineKind } from '../../kind.js';
import { transferAttempts } from '../../throughput-attempts.js';
import { parallelMetrics } from './metrics.js';
import { ParallelTest, streamCounts } from './test.js';

function attempts(test: ParallelTest, path: Path) {
  const { durationS, omitS, congestionControl, windowBytes, mssBytes, dscp } = test;
  const chosen = { durationS, omitS, congestionControl, windowBytes, mssBytes, dscp };
  const cells = directionCells(test.direction).flatMap(({ direction, cell }) =>
    streamCounts(test).map((streams) => ({
      cell: { ...cell, streams: String(streams) },
      transfer: { ...chosen, direction, streams },
    })),
  );
  return transferAttempts(test.repeats, cells, path);
}

export const parallel = defineKind({
  kind: 'parallel',
  title: 'Parallel TCP streams',
  description:
    'What several bulk TCP flows get together, always beside what one gets alone: many streams hide a problem that one application connection feels.',
  sharing: throughput.sharing,
  test: ParallelTest,
  metrics: [...throughput.metrics, fairness, ratioToSingle].map((fact) => fact.name),
  labels: (test) => {
    const counts = streamCounts(test);
    return {
      streams: counts.map(String),
      stream: Array.from({ length: counts.at(-1) ?? 1 }, (_, i) => String(i + 1)),
      ...directionLabels(test.direction),
    };
  },
  attempts,
  summarise: (_test, results) => parallelMetrics(results),
});
export { ParallelTest } from './test.js';
