import type { FindingCode } from '@plumbline/model';
import type { LaidPath } from '../known-answers/seed-path.js';
import type { Draws } from '../seed.js';

/** A path with a known fault, the tests that are run over it, and what a diagnosis may say. */
export interface Scenario {
  readonly path: LaidPath;
  readonly tests: readonly object[];
  /** Whose findings are judged; the last test when absent. */
  readonly step?: number;
  /** Any of these is right as what explains the step best. */
  readonly accepts: readonly FindingCode[];
  /** Has to be among what holds, besides: a condition that has a cause beside it. */
  readonly holds?: FindingCode;
  /** Must not hold. */
  readonly never?: readonly FindingCode[];
  /** How far the ceiling of the accepted finding may lie from the measured rate. Absent: it has none. */
  readonly ceilingWithin?: number;
  /** A figure of the evidence against the truth of the lab. */
  readonly figure?: { readonly name: string; readonly truth: number; readonly within: number };
  /** Payload bit/s of another flow that runs all the while, from client to server. */
  readonly competing?: { readonly congestionControl: string; readonly streams: number };
  /** Share of one CPU that the far probe and its programs, the receiver among them, may use. */
  readonly cpuQuota?: number;
  /** The figures of the draw, for people. */
  readonly text: string;
}

/** A kind of fault; each draw is another path with it. */
export interface Family {
  readonly name: string;
  readonly draw: (draws: Draws) => Scenario;
}
