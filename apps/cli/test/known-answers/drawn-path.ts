import { bdpBytes, tcpShareOfIp } from '@plumbline/analysis';
import type { Draws } from '../seed.js';
import type { SeedPath } from './seed-path.js';

/** The first link stays: it is never the bottleneck. One way, as the lab has it by default. */
const FIRST_LINK = { rateBps: 500e6, delayMs: 2 };
const FRAMING = { mtuBytes: 1500, ipVersion: 4, timestamps: true, vlanTags: 0 } as const;
/** Payload of a full segment in those frames. */
export const MSS_BYTES = 1448;

/** A path as it was drawn, and what follows from it. */
export interface DrawnPath {
  readonly rateBps: number;
  /** Of the path alone: both ways, without queues. */
  readonly rttMs: number;
  readonly bdpBytes: number;
  readonly queueBytes: number;
  /** On the way from client to server, at random. */
  readonly lossRatio: number;
  /** What the bottleneck carries as payload. */
  readonly linkPayloadBps: number;
}

export interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * Draws a path. The queue holds 1.3 to 2.5 times what the path itself holds (and at least 40 packets): a smaller one would be the
 * limit of its own that PRODUCT.md tells of, and its answer would be the queue's.
 * @param bdp drawn instead of the rate, which follows: how long a flow takes to fill the path depends on it
 */
export function drawPath(
  draws: Draws,
  { bdp, rttMs, lossRatio }: { bdp: Range; rttMs: Range; lossRatio?: Range },
): DrawnPath {
  const rtt = Math.round(draws.between(rttMs.low, rttMs.high) * 10) / 10;
  const rateBps = Math.round((draws.betweenByRatio(bdp.low, bdp.high) * 8) / (rtt / 1000) / 1e5) * 1e5;
  const heldBytes = bdpBytes(rateBps, rtt);
  return {
    rateBps,
    rttMs: rtt,
    bdpBytes: heldBytes,
    queueBytes: Math.round(Math.max(60_000, heldBytes * draws.between(1.3, 2.5))),
    lossRatio: lossRatio ? Number(draws.betweenByRatio(lossRatio.low, lossRatio.high).toPrecision(2)) : 0,
    linkPayloadBps: rateBps * tcpShareOfIp(FRAMING),
  };
}

/** IPv4, TCP and its timestamps. */
const TCP_HEADERS_BYTES = 52;
const UDP_HEADERS_BYTES = 28;

/** How long a request and a reply of that size take, one packet each: there and back, and through both links twice. */
export function transactionMs({ rateBps, rttMs }: DrawnPath, messageBytes: number): number {
  const bits = (messageBytes + TCP_HEADERS_BYTES) * 8;
  return rttMs + 2000 * (bits / rateBps + bits / FIRST_LINK.rateBps);
}

/** What the path carries of UDP payload in datagrams of that size. */
export const udpBottleneckBps = ({ rateBps }: DrawnPath, payloadBytes: number): number =>
  (rateBps * payloadBytes) / (payloadBytes + UDP_HEADERS_BYTES);

/**
 * Share of a load's payload that is dropped: 1 - bottleneck / offered, or less by what the queue takes in beside it, as far as that
 * arrives before the tool stops counting.
 */
export function dropShare(
  path: DrawnPath,
  { payloadBytes, offeredBps, durationS }: { payloadBytes: number; offeredBps: number; durationS: number },
): Range {
  const queueBits = (path.queueBytes * 8 * payloadBytes) / (payloadBytes + UDP_HEADERS_BYTES);
  const high = 1 - udpBottleneckBps(path, payloadBytes) / offeredBps;
  return { low: high - queueBits / (offeredBps * durationS), high };
}

export const pathText = ({ rateBps, rttMs, queueBytes, lossRatio }: DrawnPath): string =>
  `${rateBps / 1e6} Mbit/s, ${rttMs} ms, queue ${Math.round(queueBytes / 1000)} KB, loss ${lossRatio * 100} %`;

/** Makes the lab's path the drawn one, as `plumb lab set` would. */
export async function layPath(seed: SeedPath, path: DrawnPath): Promise<void> {
  await seed.set(1, undefined, { command: 'rate', rateBps: FIRST_LINK.rateBps });
  await seed.set(1, undefined, { command: 'queue', queueBytes: 4_000_000 });
  await seed.set(1, undefined, { command: 'delay', delayMs: FIRST_LINK.delayMs });
  await seed.set(2, undefined, { command: 'rate', rateBps: path.rateBps });
  await seed.set(2, undefined, { command: 'queue', queueBytes: path.queueBytes });
  await seed.set(2, undefined, { command: 'delay', delayMs: path.rttMs / 2 - FIRST_LINK.delayMs });
  await seed.set(2, 'ab', { command: 'loss', ratio: path.lossRatio });
  await seed.forgetPaths();
}
