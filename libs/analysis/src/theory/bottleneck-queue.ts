import { finiteResult, requirePositive, TheoryError } from './theory-error.js';

/**
 * Bytes that wait at the bottleneck, from how much the round trip grew: rate * (RTT - idle RTT) / 8 (Little's law; the same
 * estimate as in TCP Vegas, Brakmo and Peterson 1995, section 3.2). @param rateBps of the bottleneck. @throws {TheoryError}
 */
export function bottleneckQueueBytes(rateBps: number, rttMs: number, idleRttMs: number): number {
  const grownMs = requirePositive('rttMs', rttMs) - requirePositive('idleRttMs', idleRttMs);
  if (grownMs < 0) throw new TheoryError('idleRttMs', `cannot be more than the ${rttMs} ms under load`);
  return finiteResult('queue', (requirePositive('rateBps', rateBps) * grownMs) / 8000);
}

/**
 * Share of a link that one loss-based flow gets through a drop-tail queue: its window falls to `beta` of what link and queue
 * hold and grows back; where `beta * (BDP + queue)` is at least the BDP the link never idles (Appenzeller, Keslassy and
 * McKeown, "Sizing Router Buffers", SIGCOMM 2004, section 2, for linear growth).
 * @param beta what is left of the window after a loss: 0.5 for Reno, 0.7 for CUBIC (RFC 9438, section 4.6). @throws {TheoryError}
 */
export function shareWithQueue(queueBytes: number, bdpBytes: number, beta: number): number {
  if (!(beta > 0 && beta < 1)) throw new TheoryError('beta', `must be between 0 and 1, not ${beta}`);
  if (!(queueBytes >= 0)) throw new TheoryError('queueBytes', `must be a number of at least 0, not ${queueBytes}`);
  const top = finiteResult('window', (queueBytes + requirePositive('bdpBytes', bdpBytes)) / bdpBytes);
  const bottom = beta * top;
  if (bottom >= 1) return 1;
  // The window climbs from `bottom` to `top`; while it is below one BDP the rate is the window over the idle round trip,
  // above it the link is full. In rounds: (1 - bottom) below, and above as much data as the window tells.
  const below = ((1 - bottom) * (1 + bottom)) / 2;
  const above = ((top - 1) * (top + 1)) / 2;
  const roundTimes = 1 - bottom + above;
  return Math.min(1, (below + above) / roundTimes);
}
