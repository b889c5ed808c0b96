// @ts-check
// Counting what the tests said, so that nothing that went wrong can look like a success.
import { exitCodeOf } from '../bootstrap/lifeline.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Tally */

/** Tests of one tier that may need the second try: the machine is noisy, but not that noisy. */
const UNSTEADY_MOST = 3;

/** @type {Tally} */
export const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/** @param {Tally} a @param {Tally} b @returns {Tally} */
export const sum = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

/**
 * The line that CI reads, alone on its line.
 * @param {Tally} tally
 */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/**
 * Nothing passed is a failure too: a gate that ran no test proves nothing.
 * @param {Tally} tally
 * @param {NodeJS.Signals | undefined} stopped
 */
export function exitCodeFor({ passed, failed }, stopped) {
  if (stopped !== undefined) return exitCodeOf(stopped);
  return failed > 0 || passed === 0 ? 1 : 0;
}

/**
 * Reads vitest's JSON report. A file that did not load, a hook that threw, an error outside of any test and a runner
 * that ended badly each count as a failure even when no test is marked as failed; so does a run without a test.
 * @param {string | undefined} text the report; undefined when there is none
 * @param {number} exitCode vitest's own
 * @param {{ mayBeEmpty: boolean }} options
 * @returns {Tally & { reasons: string[], unsteady: string[] }} why it failed, and which tests passed only at the second try
 */
export function tallyOf(text, exitCode, { mayBeEmpty }) {
  const report = parseReport(text);
  if (report === undefined)
    return {
      ...NOTHING,
      failed: 1,
      reasons: [`vitest ended with exit code ${exitCode} and left no report`],
      unsteady: [],
    };
  const count = (/** @type {readonly string[]} */ states) =>
    report.testResults.reduce(
      (n, file) => n + file.assertionResults.filter((test) => states.includes(test.status)).length,
      0,
    );
  const tally = {
    passed: count(['passed']),
    failed: count(['failed']),
    skipped: count(['skipped', 'pending', 'todo', 'disabled']),
  };
  /** @type {string[]} */
  const reasons = [];
  for (const file of report.testResults) {
    if (file.status !== 'failed' || file.assertionResults.some((test) => test.status === 'failed')) continue;
    reasons.push(`${file.name} failed outside of its tests: ${(file.message ?? '').split('\n')[0]}`);
  }
  tally.failed += reasons.length;
  const unsteady = linesOf(report, 'passed');
  if (unsteady.length > UNSTEADY_MOST) {
    reasons.push(`${unsteady.length} tests passed only at the second try: that is no noise`);
    tally.failed += 1;
  }
  if ((exitCode !== 0 || report.success === false) && tally.failed === 0 && !(mayBeEmpty && tally.passed === 0)) {
    reasons.push(`vitest ended with exit code ${exitCode} though no test is marked as failed`);
    tally.failed += 1;
  }
  if (tally.passed + tally.failed + tally.skipped === 0 && !mayBeEmpty) {
    reasons.push('there was no test to run');
    tally.failed += 1;
  }
  return { ...tally, reasons: [...reasons, ...linesOf(report, 'failed')], unsteady };
}

/**
 * A line for each test of that status that failed at some try: its file, its name, and the first line of what it said.
 * @param {{ testResults: FileResult[] }} report
 * @param {'passed' | 'failed'} status
 */
const linesOf = (report, status) =>
  report.testResults.flatMap((file) =>
    file.assertionResults
      .filter((test) => test.status === status && (test.failureMessages ?? []).length > 0)
      .map((test) => `${file.name} > ${test.fullName}: ${(test.failureMessages?.[0] ?? '').split('\n')[0]}`),
  );

/**
 * @typedef {{ status: string, fullName?: string, failureMessages?: string[] }} TestResult
 * @typedef {{ name: string, status: string, message?: string, assertionResults: TestResult[] }} FileResult
 * @param {string | undefined} text
 * @returns {{ success: boolean, testResults: FileResult[] } | undefined}
 */
function parseReport(text) {
  if (text === undefined) return undefined;
  try {
    const report = JSON.parse(text);
    return Array.isArray(report?.testResults) ? report : undefined;
  } catch {
    return undefined;
  }
}
