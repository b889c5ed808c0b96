import type { FindingCode } from '@plumbline/model';
import { bdpBytes, windowCeilingBps } from '../../theory/bandwidth-delay.js';
import { DEFAULT_FRAMING, type TcpFraming } from '../../theory/framing.js';
import { type RateLayer, tcpPayloadCeilingBps } from '../../theory/rate-layer.js';
import type { BeforeAfterInput, SideData } from './input.js';

/** What the two runs are held against. */
export interface LinkFacts {
  rateBps: number;
  layer: RateLayer;
  /** What TCP can carry on it, headers taken off. */
  tcpCeilingBps: number;
  source: 'contract' | 'lab';
}

/** The limits that these numbers alone can show; `inconclusive` when they show none. */
export type Limit = Extract<
  FindingCode,
  'link-limited' | 'receive-window-limited' | 'send-buffer-limited' | 'inconclusive'
>;

/** Numbers computed from one side's. Null where an input is not known. */
export interface SideFacts {
  throughputBps: number | null;
  /** The round trip that the window ceiling is computed with: under load if the socket showed it, else ping's. */
  rttMs: number | null;
  rttFrom: 'load' | 'idle' | null;
  /** Largest window * 8 / that round trip. */
  windowCeilingBps: number | null;
  throughputToWindowCeiling: number | null;
  throughputToTcpCeiling: number | null;
  bdpBytes: number | null;
  windowToBdp: number | null;
  rttGrowth: number | null;
  limit: Limit;
}

/** A flow that gets this share of what TCP can carry on the link is held by the link. */
const LINK_NEAR = 0.9;
/** More than this share cannot be: the link's rate is not what was written down. */
const LINK_EXCEEDED = 1.03;
/** Measured / (window / RTT) of flows held by a window: 0.96 to 0.98 with cubic, 0.90 to 0.96 with bbr, seen in the lab. */
const WINDOW_NEAR = { min: 0.85, max: 1.1 };
/** Share of busy time from which the kernel's own counter is taken as the cause. */
const MOSTLY = 0.5;
/** Round trip under load / idle above which a queue is filling: then window / RTT explains nothing. */
const QUEUE_GROWS = 1.25;

/** The link of the report, or null: loopback has none, and a path without a committed rate is not judged by a guess. */
export function linkFacts(input: BeforeAfterInput): LinkFacts | null {
  if (input.loopback) return null;
  const { committedRateBps, rateLayer } = input.path;
  if (committedRateBps !== undefined) return link(committedRateBps, rateLayer, 'contract', framingOf(input));
  return input.lab ? link(input.lab.rateBps, 'ip', 'lab', framingOf(input)) : null;
}

function link(rateBps: number, layer: RateLayer, source: LinkFacts['source'], framing: TcpFraming): LinkFacts {
  return { rateBps, layer, source, tcpCeilingBps: tcpPayloadCeilingBps(rateBps, layer, framing) };
}

export function framingOf(input: BeforeAfterInput): TcpFraming {
  const { mtuBytes = DEFAULT_FRAMING.mtuBytes, ipVersion = DEFAULT_FRAMING.ipVersion } = input.path;
  return { ...DEFAULT_FRAMING, mtuBytes, ipVersion };
}

/** What one side's numbers say together. Pure; unknown in, null out. */
export function sideFacts(side: SideData, link: LinkFacts | null, expectedRttMs?: number): SideFacts {
  const rttMs = side.rttLoadedMeanMs ?? side.rttP50Ms;
  const ceiling =
    positive(side.windowMaxBytes) && positive(rttMs) ? windowCeilingBps(side.windowMaxBytes, rttMs) : null;
  const idleRttMs = side.rttP50Ms ?? expectedRttMs ?? null;
  const bdp = link && positive(idleRttMs) ? bdpBytes(link.rateBps, idleRttMs) : null;
  const known = {
    throughputBps: side.throughputBps,
    rttMs,
    rttFrom: side.rttLoadedMeanMs !== null ? ('load' as const) : side.rttP50Ms !== null ? ('idle' as const) : null,
    windowCeilingBps: ceiling,
    throughputToWindowCeiling: quotient(side.throughputBps, ceiling),
    throughputToTcpCeiling: quotient(side.throughputBps, link?.tcpCeilingBps ?? null),
    bdpBytes: bdp,
    windowToBdp: quotient(side.windowMaxBytes, bdp),
    rttGrowth: quotient(side.rttLoadedMeanMs, side.rttP50Ms),
  };
  return { ...known, limit: limitOf(side, known) };
}

/** Whether a flow carried more than the link is said to allow. */
export function exceedsLink(facts: SideFacts): boolean {
  return facts.throughputToTcpCeiling !== null && facts.throughputToTcpCeiling > LINK_EXCEEDED;
}

// The link is asked first: behind a full queue window / loaded RTT equals the link's rate, whatever the window is.
function limitOf(side: SideData, facts: Omit<SideFacts, 'limit'>): Limit {
  const { throughputToTcpCeiling: ofLink, throughputToWindowCeiling: ofWindow } = facts;
  if (side.throughputBps === null) return 'inconclusive';
  if (ofLink !== null && ofLink >= LINK_NEAR && ofLink <= LINK_EXCEEDED) return 'link-limited';
  if (side.limitedSendBuffer !== null && side.limitedSendBuffer >= MOSTLY) return 'send-buffer-limited';
  const counted = side.limitedReceiveWindow === null ? null : side.limitedReceiveWindow >= MOSTLY;
  const fits = ofWindow === null ? null : ofWindow >= WINDOW_NEAR.min && ofWindow <= WINDOW_NEAR.max;
  const queueGrows = facts.rttGrowth !== null && facts.rttGrowth > QUEUE_GROWS;
  const shown = (counted === true && fits !== false) || (counted === null && fits === true);
  return shown && !queueGrows ? 'receive-window-limited' : 'inconclusive';
}

/** Above zero and of a size that a network can have: quotients of such numbers stay finite. */
export const positive = (value: number | null | undefined): value is number =>
  value !== null && value !== undefined && value >= 1e-9 && value <= 1e18;

export function quotient(value: number | null, by: number | null): number | null {
  return value !== null && Number.isFinite(value) && positive(by) ? value / by : null;
}
