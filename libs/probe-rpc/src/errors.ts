import { type Ending, parseReason, type Reason } from '@plumbline/model';
import { type CallContext, ClientError, Metadata, ServerError, Status } from 'nice-grpc';
import { connectionWords } from './connection-words.js';

/** An ending that names its reason. */
export type Refusal = Ending & { reason: Reason };

const REASON_KEY = 'plumbline-reason';

/** What a caller can tell apart and act on; each gRPC status is one of them, translated here and nowhere else. */
export type CallProblem =
  | 'unreachable'
  | 'refused'
  | 'not-found'
  | 'incompatible'
  | 'invalid'
  | 'cancelled'
  | 'internal';

/** A call to a probe that did not give an answer. `reason` is the code to store when the call was for an attempt. */
export class ProbeCallError extends Error {
  override readonly name = 'ProbeCallError';
  constructor(
    readonly problem: CallProblem,
    readonly reason: Reason,
    detail: string,
  ) {
    super(detail);
  }
}

const BY_STATUS: Partial<Record<Status, { problem: CallProblem; reason: Reason }>> = {
  [Status.UNAVAILABLE]: { problem: 'unreachable', reason: 'probe-unreachable' },
  [Status.DEADLINE_EXCEEDED]: { problem: 'unreachable', reason: 'probe-unreachable' },
  [Status.UNAUTHENTICATED]: { problem: 'refused', reason: 'probe-identity-mismatch' },
  [Status.PERMISSION_DENIED]: { problem: 'refused', reason: 'probe-identity-mismatch' },
  [Status.NOT_FOUND]: { problem: 'not-found', reason: 'probe-lost' },
  [Status.UNIMPLEMENTED]: { problem: 'incompatible', reason: 'probe-version-incompatible' },
  [Status.INVALID_ARGUMENT]: { problem: 'invalid', reason: 'spec-invalid' },
  [Status.RESOURCE_EXHAUSTED]: { problem: 'invalid', reason: 'spec-invalid' },
  [Status.CANCELLED]: { problem: 'cancelled', reason: 'cancelled-by-user' },
};

/** The client's edge: whatever a call threw, as a ProbeCallError. `trailer` is what the server sent with its status, `signal` the caller's. */
export function toCallError(error: unknown, trailer?: Metadata, signal?: AbortSignal): ProbeCallError {
  if (error instanceof ProbeCallError) return error;
  if (!(error instanceof ClientError)) {
    const aborted = error instanceof Error && error.name === 'AbortError';
    const text = error instanceof Error ? error.message : String(error);
    return aborted
      ? new ProbeCallError('cancelled', 'cancelled-by-user', 'The call was given up.')
      : new ProbeCallError('internal', 'internal-error', text);
  }
  const said = trailer?.get(REASON_KEY);
  if (said !== undefined) {
    const reason = parseReason(said);
    const problem = reason === 'probe-version-incompatible' ? 'incompatible' : 'refused';
    return new ProbeCallError(problem, reason, error.details);
  }
  // A certificate that is wrong ends the TLS handshake: gRPC can only say that it got no connection.
  if (/certificate/i.test(error.details))
    return new ProbeCallError('refused', 'probe-identity-mismatch', connectionWords(error.details));
  if (error.code === Status.CANCELLED && !signal?.aborted)
    return new ProbeCallError('unreachable', 'probe-unreachable', 'The probe ended the call; it is being shut down.');
  const known = BY_STATUS[error.code] ?? { problem: 'internal', reason: 'internal-error' };
  const details = known.problem === 'unreachable' ? connectionWords(error.details) : error.details;
  return new ProbeCallError(known.problem, known.reason, details);
}

/** The server's edge: a refusal as FAILED_PRECONDITION with its reason in the trailer. Throw what this returns. */
export function refusalStatus(refusal: Refusal, context: Pick<CallContext, 'trailer'>): ServerError {
  context.trailer.set(REASON_KEY, refusal.reason);
  const detail = refusal.outcome === 'completed' ? undefined : refusal.detail;
  return new ServerError(Status.FAILED_PRECONDITION, detail ?? refusal.reason);
}

/** For attach_only with an id that the probe does not know. */
export const unknownAttempt = (attemptId: string): ServerError =>
  new ServerError(Status.NOT_FOUND, `There is no attempt ${attemptId} here.`);

/** For what is no refusal but our own mistake: the caller learns that, the log the rest. */
export const ourMistake = (): ServerError =>
  new ServerError(Status.INTERNAL, 'The probe made a mistake; its log has the details.');
