import { throughput, windowCeiling } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { directionCells, directionLabels } from '../../expand.js';
import { defineKind } from '../../kind.js';
import { transferAttempts } from '../../throughput-attempts.js';
import { windowSweepMetrics } from './metrics.js';
import { WindowSweepTest } from './test.js';

function attempts(test: WindowSweepTest, path: Path) {
  const { durationS, omitS, congestionControl, mssBytes, dscp } = test;
  const chosen = { durationS, omitS, congestionControl, mssBytes, dscp };
  const cells = directionCells(test.direction).flatMap(({ direction, cell }) =>
    test.windowsBytes.map((windowBytes) => ({
      cell: { ...cell, windowBytes: String(windowBytes) },
      transfer: { ...chosen, direction, windowBytes },
    })),
  );
  return transferAttempts(test.repeats, cells, path);
}

export const windowSweep = defineKind({
  kind: 'window-sweep',
  title: 'Windows compared',
  description: 'What one TCP stream gets with several socket buffers, beside what window / RTT allows.',
  sharing: throughput.sharing,
  test: WindowSweepTest,
  metrics: [...throughput.metrics.map((fact) => fact.name), windowCeiling.name],
  labels: (test) => ({
    windowBytes: test.windowsBytes.map(String),
    ...directionLabels(test.direction),
  }),
  attempts,
  summarise: (_test, results) => windowSweepMetrics(results),
});
export { WindowSweepTest } from './test.js';
