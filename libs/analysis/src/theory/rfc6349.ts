import { finiteResult, requireFiniteList, requireNonNegative, requirePositive, TheoryError } from './theory-error.js';

/** Seconds that a payload takes at the most that TCP can carry (RFC 6349, section 4.1; its table rounds 8.43 up to 9). @throws {TheoryError} */
export function idealTransferTimeS(payloadBytes: number, maximumBps: number): number {
  return finiteResult(
    'transfer time',
    (requirePositive('payloadBytes', payloadBytes) * 8) / requirePositive('maximumBps', maximumBps),
  );
}

/** TCP transfer time ratio: actual / ideal; 1 is perfect (RFC 6349, section 4.1). @throws {TheoryError} */
export function transferTimeRatio(actualS: number, idealS: number): number {
  return finiteResult('transfer time ratio', requirePositive('actualS', actualS) / requirePositive('idealS', idealS));
}

/** TCP efficiency: share of the sent bytes that were not sent again; sent includes those (RFC 6349, section 4.2). @throws {TheoryError} */
export function tcpEfficiency(sentBytes: number, retransmittedBytes: number): number {
  const again = requireNonNegative('retransmittedBytes', retransmittedBytes);
  if (again > requirePositive('sentBytes', sentBytes))
    throw new TheoryError('retransmittedBytes', `cannot be more than the ${sentBytes} sent`);
  return (sentBytes - again) / sentBytes;
}

/** Efficiency where the tool counts segments (iperf3): an estimate, each taken as full. @throws {TheoryError} */
export function tcpEfficiencyFromSegments(sentBytes: number, retransmittedSegments: number, mssBytes: number): number {
  const bytes =
    requireNonNegative('retransmittedSegments', retransmittedSegments) * requirePositive('mssBytes', mssBytes);
  return tcpEfficiency(sentBytes, Math.min(bytes, sentBytes));
}

/** Buffer delay: how much the round trip grew under load, over the baseline (RFC 6349, section 4.3). @throws {TheoryError} */
export function bufferDelayRatio(meanRttMs: number, baseRttMs: number): number {
  const base = requirePositive('baseRttMs', baseRttMs);
  return finiteResult('buffer delay', (requirePositive('meanRttMs', meanRttMs) - base) / base);
}

/** Mean of the per-second round trips during a transfer (RFC 6349, section 4.3). @throws {TheoryError} when there are none. */
export function meanRttMs(perSecondRttMs: readonly number[]): number {
  if (perSecondRttMs.length === 0) throw new TheoryError('perSecondRttMs', 'must hold at least one round trip');
  requireFiniteList('perSecondRttMs', perSecondRttMs);
  return finiteResult('mean round trip', perSecondRttMs.reduce((sum, rtt) => sum + rtt, 0) / perSecondRttMs.length);
}

/** Whether a path is fit for this method at all: not above 5 % loss or 150 ms of jitter (RFC 6349, section 3). @throws {TheoryError} */
export function rfc6349IsMeaningful(lossRatio: number, jitterMs: number): boolean {
  return requireNonNegative('lossRatio', lossRatio) <= 0.05 && requireNonNegative('jitterMs', jitterMs) <= 150;
}
