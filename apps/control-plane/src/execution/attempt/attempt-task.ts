import type { Ability, PreparedAbility } from '@plumbline/measure';
import { type End, type Ending, type Reason } from '@plumbline/model';
import type { AttemptPlan } from '@plumbline/plans';
import { type Claim, type Spec, specKind } from '@plumbline/probe-rpc';
import type { LegEndpoint, LegPath } from '../../persistence/leg-path.js';
import type { Lease } from '../leg/lease.js';
import type { LegKey, StepKey } from '../leg/leg-records.js';
import type { ProbeTarget } from '../probes/probe-facts.js';

/** One attempt to carry out: what, between whom, and under whose lease. */
export interface AttemptTask {
  readonly id: string;
  readonly n: number;
  readonly leg: LegKey;
  readonly step: StepKey;
  readonly lease: Lease;
  /** From the end where the attempt starts to the other: `source` is its near end, also where that is the path's destination. */
  readonly path: LegPath;
  readonly plan: AttemptPlan;
  readonly ability: Ability;
  readonly prepared: PreparedAbility;
  readonly near: ProbeTarget;
  readonly far: ProbeTarget;
  /** Present when an earlier owner began it: how old it is, and whether a program was seen to start. */
  readonly resumed?: { readonly ageMs: number; readonly started: boolean };
}

export const ENDS: readonly End[] = ['near', 'far'];
export const targetOf = (task: AttemptTask, end: End): ProbeTarget => task[end];
export const endpointOf = (task: Pick<AttemptTask, 'path'>, end: End): LegEndpoint =>
  end === 'near' ? task.path.source : task.path.destination;
export const peerOf = (task: AttemptTask, end: End): LegEndpoint =>
  end === 'near' ? task.path.destination : task.path.source;
/** The path as an attempt walks it that starts at that end. */
export const pathFrom = (path: LegPath, startsAt: End = 'near'): LegPath =>
  startsAt === 'near' ? path : { ...path, source: path.destination, destination: path.source };
/** The reason that speaks of the probe at that end: reasons name the path's source and destination. */
export const unreachableReason = (
  task: AttemptTask,
  end: End,
): Reason & ('probe-unreachable' | 'far-probe-unreachable') =>
  (end === 'near') === (task.plan.startsAt !== 'far') ? 'probe-unreachable' : 'far-probe-unreachable';
export const onOneProbe = (task: AttemptTask): boolean => task.near.name === task.far.name;

export const claimOf = (task: AttemptTask): Claim => ({
  attemptId: task.id,
  legId: task.leg.id,
  fence: task.lease.fence,
  shared: task.ability.sharing !== 'exclusive',
  longestDurationMs: task.prepared.longestDurationMs,
});

export const specOf = (task: AttemptTask): Spec => ({
  kind: specKind(task.ability),
  schemaVersion: task.plan.schemaVersion,
  specJson: JSON.stringify(task.plan.spec),
});

/** What ended an attempt from our side. Only the first counts. */
export class Cause {
  private readonly controller = new AbortController();
  private first: Ending | undefined;

  get ending(): Ending | undefined {
    return this.first;
  }
  /** Aborted once there is a cause. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }
  get reason(): Reason | undefined {
    return this.first === undefined || this.first.outcome === 'completed' ? undefined : this.first.reason;
  }
  set(ending: Ending): void {
    if (this.first) return;
    this.first = ending;
    this.controller.abort();
  }
}
