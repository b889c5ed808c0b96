import type { ContractMeasure } from '@plumbline/model';
import { convertRateBps, tcpPacketBytes, udpPacketBytes } from '../theory/rate-layer.js';
import { framingOf, udpPayloadOf } from './capacity.js';
import type { FlowFacts, LegFacts, UdpFacts } from './facts.js';
import { wayOf } from './flow-view.js';
import { theory } from './judgement.js';
import { greatestOf, known, leastOf, medianOf } from './numbers.js';

/** What UDP payload or TCP payload is at the contract's layer: a perfect 1 Gbit/s Ethernet gives TCP 941 Mbit/s. */
export const atContractLayer = {
  tcp: (bps: number | undefined, leg: LegFacts): number | undefined =>
    bps === undefined
      ? undefined
      : theory(() => convertRateBps(bps, 'payload', leg.path.rateLayer, tcpPacketBytes(framingOf(leg)))),
  udp: (bps: number | undefined, udp: UdpFacts, leg: LegFacts): number | undefined =>
    bps === undefined
      ? undefined
      : theory(() => convertRateBps(bps, 'payload', leg.path.rateLayer, udpPacketBytes(udpPayloadOf(udp)))),
};

/** What UDP got through at the most: the bottleneck, else the most that arrived. */
export const udpCarriedBps = (udp: UdpFacts): number | undefined =>
  udp.bottleneckBps ??
  greatestOf(known([udp.highestCleanBps, ...udp.steps.map((s) => s.deliveredSteadyBps ?? s.deliveredBps)]));

interface Evidence {
  readonly basis: 'udp' | 'multi-flow' | 'single-flow';
  readonly bps: number;
}

/** The best evidence of what the path carries from its source to its destination, compared with what is paid for. */
export function contractOf(leg: LegFacts): ContractMeasure | undefined {
  const { committedRateBps, rateLayer, expectedRttMs, expectedLossRatio } = leg.path;
  if (committedRateBps === undefined) return undefined;
  const best = bestOf(leg);
  const measuredRttMs = leastOf(known([...leg.rtts.map((rtt) => rtt.p50Ms ?? rtt.meanMs), ...baselines(leg)]));
  const measuredLossRatio = medianOf(known(leg.rtts.map((rtt) => rtt.lossRatio)));
  return {
    committedRateBps,
    rateLayer,
    measuredRateBps: best?.bps ?? null,
    ratio: best ? best.bps / committedRateBps : null,
    basis: best?.basis ?? 'none',
    ...(expectedRttMs === undefined ? {} : { expectedRttMs }),
    ...(measuredRttMs === undefined ? {} : { measuredRttMs }),
    ...(expectedLossRatio === undefined ? {} : { expectedLossRatio }),
    ...(measuredLossRatio === undefined ? {} : { measuredLossRatio }),
  };
}

const baselines = (leg: LegFacts): (number | undefined)[] =>
  leg.rtts.length > 0 ? [] : leg.flows.map((flow) => flow.baselineRttMs);

function bestOf(leg: LegFacts): Evidence | undefined {
  const flows = leg.flows.filter((flow) => wayOf(flow) === 'forward');
  const tcp = (own: readonly FlowFacts[]): number | undefined =>
    greatestOf(known(own.map((flow) => atContractLayer.tcp(flow.throughputBps, leg))));
  const udp = leg.udp.filter(({ direction }) => direction === 'forward');
  const candidates: (Evidence | undefined)[] = [
    evidence('udp', greatestOf(known(udp.map((own) => atContractLayer.udp(udpCarriedBps(own), own, leg))))),
    evidence('multi-flow', tcp(flows.filter(({ streams }) => streams > 1))),
    evidence('single-flow', tcp(flows.filter(({ streams }) => streams === 1))),
  ];
  return known(candidates).reduce<Evidence | undefined>(
    (best, next) => (best === undefined || next.bps > best.bps * 1.01 ? next : best),
    undefined,
  );
}

const evidence = (basis: Evidence['basis'], bps: number | undefined): Evidence | undefined =>
  bps === undefined ? undefined : { basis, bps };
