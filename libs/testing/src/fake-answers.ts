import type { PreparedAbility } from '@plumbline/measure';
import type { Ending } from '@plumbline/model';
import {
  type CallContext,
  type ExecuteRequest,
  type ExecuteResponse,
  type Refusal,
  refusalStatus,
} from '@plumbline/probe-rpc';
import type { FakeAttempt, FakeEndpoint } from './fake-types.js';

/** A refusal on its way out of a nest of checks. */
export class Refused extends Error {
  constructor(readonly refusal: Ending) {
    super('refused');
  }
}

export function refuse(refusal: Ending): never {
  throw new Refused(refusal);
}

export function rethrow(error: unknown, context: CallContext): never {
  if (error instanceof Refused && error.refusal.outcome !== 'completed')
    throw refusalStatus(error.refusal satisfies Refusal, context);
  throw error;
}

export function finishedAtOnce(refusal: Ending): ExecuteResponse {
  const now = new Date();
  const said =
    refusal.outcome === 'completed'
      ? { reason: '', detail: '' }
      : { reason: refusal.reason, detail: refusal.detail ?? '' };
  const finished = {
    outcome: refusal.outcome,
    ...said,
    phases: [],
    startedAt: now,
    endedAt: now,
    outputTruncated: false,
  };
  return { sequence: 1n, at: now, event: { $case: 'finished', value: finished } };
}

export const longestMs = (asked: number, prepared: PreparedAbility): number =>
  asked > 0 ? Math.min(asked, prepared.longestDurationMs) : prepared.longestDurationMs;

export const factsOf = (
  claim: NonNullable<ExecuteRequest['claim']>,
  endpoint: FakeEndpoint,
  kind: string,
  spec: unknown,
) => ({
  id: claim.attemptId,
  legId: claim.legId,
  kind,
  spec,
  endpoint: endpoint.name,
  fence: claim.fence,
  shared: claim.shared,
});

export const toClaim = (facts: FakeAttempt, endpoint: FakeEndpoint) => ({
  id: facts.id,
  fence: facts.fence,
  shared: facts.shared,
  resource: endpoint.interface ?? '*',
});
