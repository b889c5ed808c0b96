import { z } from 'zod';
import type { Kind } from '../kind.js';
import { BouncebackTest, bounceback } from './bounceback/index.js';
import { CongestionControlMatrixTest, congestionControlMatrix } from './congestion-control-matrix/index.js';
import { HopCharacterizationTest, hopCharacterization } from './hop-characterization/index.js';
import { ParallelTest, parallel } from './parallel/index.js';
import { PathMtuTest, pathMtuKind } from './path-mtu/index.js';
import { ReachabilityTest, reachabilityKind } from './reachability/index.js';
import { RttTest, rttKind } from './rtt/index.js';
import { SingleStreamTest, singleStream } from './single-stream/index.js';
import { TraceTest, traceKind } from './trace/index.js';
import { UdpStepUpTest, udpStepUp } from './udp-step-up/index.js';
import { WindowSweepTest, windowSweep } from './window-sweep/index.js';

/** The kinds of test that this version runs. A new one is a folder, and a line in each of these two lists. */
export const kinds: readonly Kind[] = [
  singleStream,
  rttKind,
  parallel,
  windowSweep,
  congestionControlMatrix,
  udpStepUp,
  pathMtuKind,
  reachabilityKind,
  traceKind,
  hopCharacterization,
  bounceback,
];

/** A test of a plan: which one is said by `kind`. */
export const Test = z
  .discriminatedUnion(
    'kind',
    [
      SingleStreamTest,
      RttTest,
      ParallelTest,
      WindowSweepTest,
      CongestionControlMatrixTest,
      UdpStepUpTest,
      PathMtuTest,
      ReachabilityTest,
      TraceTest,
      HopCharacterizationTest,
      BouncebackTest,
    ],
    {
      // An unknown kind is an invalid_union; what is no object at all keeps zod's own words.
      error: (issue) =>
        issue.code === 'invalid_union'
          ? `kind must be one of ${kinds.map((k) => k.kind).join(', ')}: this version runs no other`
          : undefined,
    },
  )
  .meta({ id: 'Test' });
export type Test = z.output<typeof Test>;

/** @returns undefined for a kind that this version does not run */
export const kindOf = (name: string): Kind | undefined => kinds.find((kind) => kind.kind === name);
