import { ceilTolerant, finiteResult, requirePositive, requireWhole, TheoryError } from './theory-error.js';

/** The window that a target rate needs, in packets: ceil(rate * RTT / 8 / (MTU - overhead)) (RFC 8337, section 5.2). @throws {TheoryError} */
export function targetWindowPackets(
  targetRateBps: number,
  rttMs: number,
  mtuBytes: number,
  overheadBytes: number,
): number {
  const bytes = (requirePositive('targetRateBps', targetRateBps) * requirePositive('rttMs', rttMs)) / 8000;
  return ceilTolerant(finiteResult('window', bytes / requirePositive('mtuBytes', mtuBytes - overheadBytes)));
}

/** Packets between losses that let a Reno flow hold that window: 3 W^2 (RFC 8337, section 5.2). @throws {TheoryError} */
export function targetRunLength(windowPackets: number): number {
  return finiteResult('run length', 3 * requirePositive('windowPackets', windowPackets) ** 2);
}

/** The same by the model that counts from the top of the sawtooth: 4/3 W^2 (RFC 8337, appendix A). @throws {TheoryError} */
export function targetRunLengthAppendixA(windowPackets: number): number {
  return (targetRunLength(windowPackets) * 4) / 9;
}

/** The sequential test's straight lines over packets sent (RFC 8337, section 7.2). */
export interface RunLengthTest {
  k: number;
  /** Losses that either line rises a packet. */
  slope: number;
  /** Distance of the lower line (pass) and of the upper (fail). */
  h1: number;
  h2: number;
}

/**
 * Wald's test of "a loss every run length" against "four times as many" (RFC 8337, section 7.2).
 * @param alpha risk of failing a good path. @param beta risk of passing a bad one. @throws {TheoryError}
 */
export function runLengthTest(runLength: number, alpha = 0.05, beta = 0.05): RunLengthTest {
  const p0 = 1 / requirePositive('runLength', runLength);
  const p1 = 4 * p0;
  if (p1 >= 1) throw new TheoryError('runLength', `must be above 4, not ${runLength}`);
  const [a, b] = [risk('alpha', alpha), risk('beta', beta)];
  // log1p keeps its digits where 1 - p does not.
  const k = Math.log(4) + Math.log1p(-p0) - Math.log1p(-p1);
  return {
    k,
    slope: (Math.log1p(-p0) - Math.log1p(-p1)) / k,
    h1: Math.log((1 - a) / b) / k,
    h2: Math.log((1 - b) / a) / k,
  };
}

/** What so many losses among so many packets say (RFC 8337, section 7.2). @throws {TheoryError} */
export function judgeRunLength(test: RunLengthTest, losses: number, packets: number): 'pass' | 'fail' | 'inconclusive' {
  const x = requireWhole('losses', losses);
  const n = requireWhole('packets', packets, x);
  if (x <= -test.h1 + test.slope * n) return 'pass';
  return x >= test.h2 + test.slope * n ? 'fail' : 'inconclusive';
}

/** The fewest packets with which so many losses pass. @throws {TheoryError} */
export function packetsToPass(test: RunLengthTest, losses: number): number {
  return Math.ceil((requireWhole('losses', losses) + test.h1) / test.slope);
}

/** The most packets with which so many losses fail; null when so few can never fail. @throws {TheoryError} */
export function packetsToFail(test: RunLengthTest, losses: number): number | null {
  const packets = Math.floor((requireWhole('losses', losses) - test.h2) / test.slope);
  return packets >= losses ? packets : null;
}

function risk(field: string, value: number): number {
  if (value > 0 && value < 0.5) return value;
  throw new TheoryError(field, `must lie between 0 and 0.5, not ${value}`);
}
