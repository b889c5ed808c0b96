import { type Committed, captureMetrics, nuttcpCannot, throughput } from '@plumbline/measure';
import type { Path } from '@plumbline/model';
import { byDirection } from '../../derive.js';
import { directionCells, directionLabels, interleave } from '../../expand.js';
import { defineKind } from '../../kind.js';
import { summarise } from '../../summarise.js';
import { SingleStreamTest } from './test.js';

const DEFAULT_MTU_BYTES = 1500;

/** Of both directions at once there are two connections, and no way to tell whose windows these are. */
const CAPTURE_OF_BOTH = {
  field: 'capture',
  why: 'both directions at once are two connections, which a capture cannot tell apart: capture forward, reverse or both (one after the other)',
};

/** What the path promises, for the ratios to it; absent when its contract names no rate. */
const committed = (path: Path): { committed?: Committed } =>
  path.committedRateBps === undefined
    ? {}
    : {
        committed: {
          rateBps: path.committedRateBps,
          layer: path.rateLayer,
          mtuBytes: path.mtu ?? DEFAULT_MTU_BYTES,
        },
      };

function attempts(test: SingleStreamTest, path: Path) {
  const { durationS, omitS, congestionControl, windowBytes, mssBytes, dscp, rateBps } = test;
  const capture = test.capture || undefined;
  const chosen = { durationS, omitS, congestionControl, windowBytes, mssBytes, dscp, rateBps, capture };
  const cells = directionCells(test.direction).map(({ direction, cell }) => ({
    cell,
    spec: throughput.spec.parse({ ...chosen, direction, ...committed(path) }),
  }));
  return interleave(test.repeats, cells, {
    measurement: throughput.kind,
    schemaVersion: throughput.schemaVersion,
    tool: test.tool,
  });
}

export const singleStream = defineKind({
  kind: 'single-stream',
  title: 'One TCP stream',
  description: 'What one bulk TCP flow gets, as an application with one connection would, and what held it back.',
  sharing: throughput.sharing,
  test: SingleStreamTest,
  metrics: [...throughput.metrics, ...captureMetrics].map((fact) => fact.name),
  labels: (test) => directionLabels(test.direction),
  conflicts: (test) => [
    ...(test.tool === 'nuttcp'
      ? nuttcpCannot({ ...test, direction: test.direction === 'both' ? 'forward' : test.direction })
      : []),
    ...(test.capture && test.direction === 'simultaneous' ? [CAPTURE_OF_BOTH] : []),
  ],
  attempts,
  summarise: (test, results) =>
    summarise(test.capture ? [...throughput.metrics, ...captureMetrics] : throughput.metrics, byDirection(results)),
});
export { SingleStreamTest };
