import type { Rule } from '../rule.js';
import { applicationWindowLimited } from './application-window-limited.js';
import { asymmetric } from './asymmetric.js';
import { belowCommittedRate } from './below-committed-rate.js';
import { bufferbloat } from './bufferbloat.js';
import { competingTraffic } from './competing-traffic.js';
import { congestionControlMismatch } from './congestion-control-mismatch.js';
import { fragmentation } from './fragmentation.js';
import { hostCpuLimited } from './host-cpu-limited.js';
import { linkLimited } from './link-limited.js';
import { lossLimited } from './loss-limited.js';
import { mtuBlackHole } from './mtu-black-hole.js';
import { parallelHidesSingleFlow } from './parallel-hides-single-flow.js';
import { perFlowCapped } from './per-flow-capped.js';
import { policed } from './policed.js';
import { receiveWindowLimited } from './receive-window-limited.js';
import { reordering } from './reordering.js';
import { rttBound } from './rtt-bound.js';
import { sendBufferLimited } from './send-buffer-limited.js';
import { startupDominated } from './startup-dominated.js';
import { windowScalingMissing } from './window-scaling-missing.js';

/**
 * Every cause but `inconclusive`, which is what is left when none of these holds. Where two explain a rate alike, the one
 * that comes first here is said first: the more particular.
 */
export const RULES: readonly Rule[] = [
  mtuBlackHole,
  windowScalingMissing,
  applicationWindowLimited,
  receiveWindowLimited,
  sendBufferLimited,
  perFlowCapped,
  policed,
  hostCpuLimited,
  startupDominated,
  competingTraffic,
  lossLimited,
  linkLimited,
  rttBound,
  congestionControlMismatch,
  reordering,
  fragmentation,
  bufferbloat,
  parallelHidesSingleFlow,
  asymmetric,
  belowCommittedRate,
];
