import { type Ending, ended, type Reason } from '@plumbline/model';
import type { PhaseOutput } from '../../ability.js';
import type { TransactionSeries, TransactionsSpec } from '../../measurements/transactions/index.js';

/** More of the asked time than this may be missing in no whole test ... */
const MOST_MISSING_SHARE = 0.2;
/** ... and more than this only by one slow transaction. */
const ROUNDING_SHARE = 0.02;

/** What iperf 2's complaints mean, first match wins (strerror(3) at their end; src/util.h, WARN_errno and FAIL_errno). */
const COMPLAINTS: readonly (readonly [RegExp, Reason])[] = [
  [/connection refused/i, 'connection-refused'],
  [/network is unreachable|no route to host|host is unreachable|network is down/i, 'no-route'],
  [/cannot assign requested address/i, 'local-address-unavailable'],
  [/address already in use/i, 'port-in-use'],
  [/timed out|operation now in progress|read failed: resource temporarily unavailable/i, 'connection-timed-out'],
  [/connection reset|broken pipe|read failed|write failed/i, 'connection-reset'],
];

/** Complaints of a program: up to 2.2.0 connection errors come on either stream, from 2.2.1 on stderr. */
export function complaintOf({ stdout, stderr }: Pick<PhaseOutput, 'stdout' | 'stderr'>): string | undefined {
  return [...stderr.split('\n'), ...stdout.split('\n')]
    .map((line) => line.trim())
    .find((line) => !/^WARN/i.test(line) && /\b(failed|error|refused|unreachable|unable|invalid)\b/i.test(line))
    ?.slice(0, 200);
}

export const classify = (complaint: string): Ending =>
  ended(COMPLAINTS.find(([words]) => words.test(complaint))?.[1] ?? 'tool-failed', `iperf: ${complaint}`);

/** What decides how the attempt ended. */
export interface Evidence {
  readonly seen: Ending;
  readonly test: PhaseOutput | undefined;
  readonly series: TransactionSeries | undefined;
  /** Why the load of underLoad was not there while it should have been. */
  readonly loadProblem: string | undefined;
}

/** iperf 2's exit code is 0 whatever happened, so that only its own count of whole transactions shows success. */
export function endingOf(spec: TransactionsSpec, { seen, test, series, loadProblem }: Evidence): Ending {
  if (seen.outcome !== 'completed' && seen.reason !== 'tool-failed') return seen;
  if (!test) return seen.outcome === 'completed' ? ended('output-empty') : seen;
  const complaint = complaintOf(test);
  if (!series || series.count === 0 || series.durationS <= 0 || series.meanMs <= 0) {
    if (complaint !== undefined) return classify(complaint);
    if (test.signal !== null) return ended('tool-killed', `iperf was ended by ${test.signal}.`);
    if (series) return ended('connection-timed-out', 'Not one transaction was completed.');
    return ended(test.stdout.trim() === '' ? 'output-empty' : 'output-unreadable');
  }
  if (test.signal !== null) return ended('interrupted', `iperf was ended by ${test.signal}.`);
  if (isCutShort(spec, series)) {
    const how = complaint === undefined ? '' : ` iperf: ${complaint}`;
    return ended('interrupted', `Only ${series.durationS.toFixed(1)} s of ${spec.durationS} s were measured.${how}`);
  }
  if (test.exitCode !== 0 || seen.outcome !== 'completed')
    return ended('tool-failed', complaint ?? `iperf ended with exit code ${test.exitCode}.`);
  if (loadProblem !== undefined) return ended('tool-failed', loadProblem);
  return { outcome: 'completed' };
}

/**
 * iperf 2 goes on until its time is over, and says nothing when the connection ends before (src/Client.cpp, RunBounceBackTCP): only
 * the time tells that the server was killed.
 */
function isCutShort(spec: TransactionsSpec, { durationS, maxMs }: TransactionSeries): boolean {
  const share = Math.max(ROUNDING_SHARE, maxMs / 1000 / spec.durationS);
  return durationS < spec.durationS * (1 - Math.min(MOST_MISSING_SHARE, share));
}
