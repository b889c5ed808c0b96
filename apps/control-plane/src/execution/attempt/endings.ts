import { type Ending, ended, REASONS, type Reason, type StepReason, type StepState } from '@plumbline/model';

export const TRIES = 3;
const TIMES_GIVING_WAY = 50;
const BACKOFF_MS = [200, 500, 1_000] as const;

/** The ending with its reason, if it has one. */
export const reasonOf = (ending: Ending): Reason | undefined =>
  ending.outcome === 'completed' ? undefined : ending.reason;

/**
 * How long to wait before the next try, or undefined when this ending stands: only what failed before any traffic is
 * tried again, at most three times in all.
 * @param random 0 to 1: spreads the tries of many legs
 * @param givesWay a background test: pushed aside by an exclusive leg, it is begun anew
 */
export function retryDelayMs(ending: Ending, triesSoFar: number, random: number, givesWay = false): number | undefined {
  const reason = reasonOf(ending);
  if (givesWay && reason === 'superseded') return triesSoFar < TIMES_GIVING_WAY ? 0 : undefined;
  if (reason === undefined || !REASONS[reason].retry || triesSoFar >= TRIES) return undefined;
  const delayMs = BACKOFF_MS[Math.min(triesSoFar, BACKOFF_MS.length) - 1] ?? BACKOFF_MS[0];
  return Math.round(delayMs * (0.8 + 0.4 * random));
}

/** What each side says of one attempt. Absent: that side said nothing. */
export interface Accounts {
  /** What the control plane did or saw itself: cancelled, lost, past its time. */
  readonly cause?: Ending;
  readonly near?: Ending;
  readonly far?: Ending;
}

/**
 * How the attempt ended as far as probes and control plane know; the first cause wins. A far side that was lost, stopped
 * or pushed aside explains a near side that failed, never one that completed.
 */
export function firstCause({ cause, near, far }: Accounts): Ending {
  if (cause) return cause;
  if (near?.outcome === 'completed') return near;
  const farCause = far && causeAtFar(far);
  return farCause ?? near ?? ended('probe-lost');
}

function causeAtFar(far: Ending): Ending | undefined {
  if (far.outcome === 'lost') return ended('far-probe-lost', far.detail);
  if (far.outcome === 'failed' && far.reason === 'tool-killed')
    return ended('tool-killed', `On the far side: ${far.detail ?? 'its server was ended by a signal'}`);
  return far.outcome === 'cancelled' && far.reason === 'superseded' ? far : undefined;
}

/**
 * The attempt's ending, once its output was read: what ended it from outside stands, else the parser's word is closer. A tool
 * that says its peer went away sees only that: what became of the far side says why (iperf3 ends with 0 all the same).
 */
export function finalEnding(first: Ending, read: Ending, far?: Ending): Ending {
  if (['refused', 'timed-out', 'cancelled', 'lost'].includes(first.outcome)) return first;
  return (read.outcome !== 'completed' && far && causeAtFar(far)) || read;
}

/** Endings after which the other attempts of the same step could only end the same way. */
const POINTLESS: readonly Reason[] = [
  'tool-missing',
  'tool-too-old',
  'spec-invalid',
  'endpoint-unknown',
  'endpoint-mismatch',
  'address-family-mismatch',
  'fence-stale',
  'probe-version-incompatible',
  'probe-identity-mismatch',
  'probe-unreachable',
  'far-probe-unreachable',
  'path-gone',
  'cancelled-by-user',
  'superseded',
];
/** What one host lacks, and the other may have. */
const ONE_HOST_ONLY: readonly Reason[] = ['tool-missing', 'tool-too-old'];

/** @param elsewhere whether the step's other attempts need other tools, or start at the other host */
export function endsStep(ending: Ending, elsewhere = false): boolean {
  const reason = reasonOf(ending);
  if (reason === undefined || (elsewhere && ONE_HOST_ONLY.includes(reason))) return false;
  return POINTLESS.includes(reason);
}

export interface StepEnding {
  readonly state: Extract<StepState, 'succeeded' | 'failed' | 'cancelled'>;
  readonly reason?: StepReason;
  readonly detail?: string;
}

/** Plans are refused that measure nothing on their path, so this is for those that were stored before they were. */
const NOTHING_TO_DO = {
  reason: 'parameter-unsupported',
  detail: 'Nothing of this test can be measured on this path: neither the test nor the path says how far it may go.',
} as const;

/** A step's end from the last tries of its attempts: cancelled if somebody cancelled it, failed if any did not complete. */
export function stepEnding(finals: readonly Ending[]): StepEnding {
  if (finals.some((ending) => reasonOf(ending) === 'cancelled-by-user'))
    return { state: 'cancelled', reason: 'run-cancelled' };
  const failed = finals.flatMap((ending) => (ending.outcome === 'completed' ? [] : [ending]));
  const first = failed[0];
  if (finals.length === 0) return { state: 'failed', ...NOTHING_TO_DO };
  if (!first) return { state: 'succeeded' };
  if (failed.length < finals.length || failed.some((ending) => ending.reason !== first.reason))
    return { state: 'failed', reason: 'some-attempts-failed' };
  return { state: 'failed', reason: first.reason, ...(first.detail === undefined ? {} : { detail: first.detail }) };
}
