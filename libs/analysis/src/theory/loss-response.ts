import { finiteResult, requireNonNegative, requirePositive, TheoryError } from './theory-error.js';

/**
 * Constants of `rate = MSS / RTT * C / sqrt(p)` (Mathis, Semke, Mahdavi and Ott, 1997): 1.22 is the usual rule of thumb,
 * sqrt(3/2) its unrounded form (periodic loss, every segment acknowledged), 1.2 what RFC 9438, table 1 takes for Reno.
 */
export const MATHIS_C = { ruleOfThumb: 1.22, exact: Math.sqrt(1.5), rfc9438: 1.2 } as const;

// RFC 9438, sections 4.6 (beta) and 5 (C); the constant is not rounded: with 1.054 the RFC's own table 1 is missed.
const CUBIC_C = 0.4;
const CUBIC_BETA = 0.7;
const CUBIC_CONSTANT = ((CUBIC_C * (3 + CUBIC_BETA)) / (4 * (1 - CUBIC_BETA))) ** 0.25;

/**
 * What loss allows Reno-like congestion control (Mathis et al., 1997). Not for BBR, which does not take loss as a signal.
 * @param lossRatio 0 to 1.
 * @returns TCP payload in bit/s; null where nothing is lost: then loss sets no ceiling. @throws {TheoryError}
 */
export function mathisBps(
  mssBytes: number,
  rttMs: number,
  lossRatio: number,
  c: number = MATHIS_C.ruleOfThumb,
): number | null {
  const p = requireRatio('lossRatio', lossRatio);
  const segmentRateBps = segmentBps(mssBytes, rttMs) * requirePositive('c', c);
  return p === 0 ? null : finiteResult('Mathis rate', segmentRateBps / Math.sqrt(p));
}

export interface CubicResponse {
  /** Mean window in segments: the larger of the two. */
  windowSegments: number;
  cubicSegments: number;
  renoSegments: number;
  /** Which of the two decides: on short or lossy paths CUBIC behaves as Reno would. */
  region: 'cubic' | 'reno';
}

/** CUBIC's response function with its Reno-friendly region (RFC 9438, section 5.1, figure 8). Null where nothing is lost. @throws {TheoryError} */
export function cubicResponse(rttMs: number, lossRatio: number): CubicResponse | null {
  const rttS = requirePositive('rttMs', rttMs) / 1000;
  const p = requireRatio('lossRatio', lossRatio);
  if (p === 0) return null;
  const cubicSegments = finiteResult('CUBIC window', CUBIC_CONSTANT * (rttS / p) ** 0.75);
  const renoSegments = MATHIS_C.rfc9438 / Math.sqrt(p);
  const region = cubicSegments > renoSegments ? 'cubic' : 'reno';
  return { windowSegments: Math.max(cubicSegments, renoSegments), cubicSegments, renoSegments, region };
}

/** What loss allows CUBIC: its window * MSS * 8 / RTT, TCP payload in bit/s (RFC 9438, section 5). Null where nothing is lost. @throws {TheoryError} */
export function cubicBps(mssBytes: number, rttMs: number, lossRatio: number): number | null {
  const perSegment = segmentBps(mssBytes, rttMs);
  const response = cubicResponse(rttMs, lossRatio);
  return response === null ? null : finiteResult('CUBIC rate', response.windowSegments * perSegment);
}

/** The loss ratio below which CUBIC leaves Reno's region: 0.594779 * RTT^3 (from RFC 9438, section 5). @throws {TheoryError} */
export function cubicRegionLossRatio(rttMs: number): number {
  const rttS = requirePositive('rttMs', rttMs) / 1000;
  return finiteResult('loss ratio', (CUBIC_CONSTANT / MATHIS_C.rfc9438) ** 4 * rttS ** 3);
}

/** The loss ratio at which Reno still holds a window: (1.2 / W)^2 (RFC 9438, table 3). @throws {TheoryError} */
export function renoLossRatioFor(windowSegments: number): number {
  return finiteResult('loss ratio', (MATHIS_C.rfc9438 / requirePositive('windowSegments', windowSegments)) ** 2);
}

/** The loss ratio at which CUBIC still holds a window over a round trip (RFC 9438, table 3). @throws {TheoryError} */
export function cubicLossRatioFor(windowSegments: number, rttMs: number): number {
  const reno = renoLossRatioFor(windowSegments);
  const rttS = requirePositive('rttMs', rttMs) / 1000;
  return Math.max(reno, finiteResult('loss ratio', rttS * (CUBIC_CONSTANT / windowSegments) ** (4 / 3)));
}

/** How far a measured rate scatters around these laws: a relative standard deviation of about 0.5 / sqrt(losses seen). @throws {TheoryError} */
export function lossLawSpread(losses: number): number {
  return 0.5 / Math.sqrt(requirePositive('losses', losses));
}

/** CUBIC's time to its old window, K in seconds (RFC 9438, section 4.2). @throws {TheoryError} */
export function cubicKS(maxWindowSegments: number): number {
  return Math.cbrt((requirePositive('maxWindowSegments', maxWindowSegments) * (1 - CUBIC_BETA)) / CUBIC_C);
}

/** CUBIC's window in segments at a time after the last reduction (RFC 9438, section 4.2, figure 1). @throws {TheoryError} */
export function cubicWindowAt(timeS: number, maxWindowSegments: number): number {
  const k = cubicKS(maxWindowSegments);
  requireNonNegative('timeS', timeS);
  return finiteResult('CUBIC window', CUBIC_C * (timeS - k) ** 3 + maxWindowSegments);
}

function segmentBps(mssBytes: number, rttMs: number): number {
  return finiteResult('rate', (requirePositive('mssBytes', mssBytes) * 8 * 1000) / requirePositive('rttMs', rttMs));
}

function requireRatio(field: string, value: number): number {
  if (value >= 0 && value <= 1) return value;
  throw new TheoryError(field, `must be a ratio from 0 to 1, not ${value}`);
}
