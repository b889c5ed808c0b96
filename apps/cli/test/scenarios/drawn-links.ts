import type { PathOptions } from '@plumbline/lab';
import type { Draws } from '../seed.js';

export const round = (value: number, step: number): number => Math.round(value / step) * step;
export const mbit = (bps: number): string => `${Math.round(bps / 1e5) / 10} Mbit/s`;

/** A path of one bottleneck; the first link is never felt. */
export interface Link {
  readonly rateBps: number;
  readonly rttMs: number;
  readonly queueBytes: number;
  readonly bdpBytes: number;
  /** Payload of full segments with timestamps. */
  readonly payloadBps: number;
}

/** @param queue in BDP */
export function drawLink(
  draws: Draws,
  {
    rate = [20e6, 60e6],
    rtt = [16, 40],
    queue = [1.2, 2],
  }: { rate?: [number, number]; rtt?: [number, number]; queue?: [number, number] } = {},
): Link {
  const rateBps = round(draws.betweenByRatio(...rate), 1e5);
  const rttMs = round(draws.between(...rtt), 0.5);
  const bdpBytes = (rateBps * rttMs) / 8000;
  const queueBytes = Math.round(Math.max(45_000, bdpBytes * draws.between(...queue)));
  return { rateBps, rttMs, bdpBytes, queueBytes, payloadBps: (rateBps * 1448) / 1500 };
}

export function linksOf({
  rateBps,
  rttMs,
  queueBytes,
}: Pick<Link, 'rateBps' | 'rttMs' | 'queueBytes'>): Pick<PathOptions, 'link1' | 'link2'> {
  return {
    link1: { rateBps: 2e9, delayMs: 1, queueBytes: 4_000_000, lossRatio: 0 },
    link2: { rateBps, delayMs: rttMs / 2 - 1, queueBytes, lossRatio: 0 },
  };
}

export const linkText = ({ rateBps, rttMs, queueBytes }: Link): string =>
  `${mbit(rateBps)}, ${rttMs} ms, queue ${Math.round(queueBytes / 1000)} kB`;

/** One flow, as most scenarios measure it. */
export const stream = (more: object = {}) => ({
  kind: 'single-stream',
  durationS: 3,
  omitS: 1,
  congestionControl: 'cubic',
  ...more,
});

/** A path that promises what its link has. */
export const promised = ({ rateBps, rttMs }: { rateBps: number; rttMs: number }) => ({
  committedRateBps: rateBps,
  expectedRttMs: rttMs,
});
