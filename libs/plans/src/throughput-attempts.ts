import { type Committed, throughput, throughputLimits } from '@plumbline/measure';
import type { Labels, Path } from '@plumbline/model';
import { interleave } from './expand.js';
import type { AttemptPlan } from './kind.js';
import { bulkDirection } from './parameters.js';

const { durationS, omitS, dscp, planMssBytes } = throughputLimits;
const DEFAULT_MTU_BYTES = 1500;

/** What every kind of test that moves bulk TCP may say. */
export const bulkParameters = {
  direction: bulkDirection,
  durationS: durationS.default(10).meta({ description: 'Seconds that are measured, after the omitted ones.' }),
  omitS: omitS.default(0).meta({ description: 'Seconds at the start that are not counted: slow start.' }),
  mssBytes: planMssBytes.optional(),
  dscp: dscp.optional(),
};

/** What is said of one transfer; the path's promise is added here. */
export interface Transfer {
  readonly direction: 'forward' | 'reverse' | 'simultaneous';
  readonly durationS: number;
  readonly omitS: number;
  readonly streams?: number;
  readonly congestionControl?: string;
  readonly windowBytes?: number;
  readonly mssBytes?: number;
  readonly dscp?: number;
}

/** A cell of transfers: its labels, and what it asks for. */
export interface TransferCell {
  readonly cell: Labels;
  readonly transfer: Transfer;
}

/** Repeats of transfers by iperf3, interleaved over the cells. */
export function transferAttempts(repeats: number, cells: readonly TransferCell[], path: Path): readonly AttemptPlan[] {
  const planned = cells.map(({ cell, transfer }) => ({ cell, spec: specOf(transfer, path) }));
  return interleave(repeats, planned, {
    measurement: throughput.kind,
    schemaVersion: throughput.schemaVersion,
    tool: 'iperf3',
  });
}

const specOf = (transfer: Transfer, path: Path): unknown => throughput.spec.parse({ ...transfer, ...committed(path) });

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
