import { type PolicerFit, policerSignature } from '../theory/policer.js';
import type { FlowView } from './flow-view.js';

/** The signature of a policer in a flow's own series; undefined where the readings do not suffice for one. */
export function policerFit(view: FlowView): PolicerFit | undefined {
  const points = view.flow.series.flatMap(({ atS, bps, rttMs, retransmitted }) =>
    rttMs === undefined || retransmitted === undefined
      ? []
      : [{ atS, rateBps: bps, rttMs, lostSegments: retransmitted }],
  );
  if (points.length < 8 || view.idleRttMs === undefined) return undefined;
  try {
    return policerSignature(points, view.idleRttMs);
  } catch {
    return undefined;
  }
}
