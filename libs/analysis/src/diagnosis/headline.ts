import type { Diagnosis, Finding, FindingCode, LimitOwner } from '@plumbline/model';
import { atContractLayer, contractOf } from './contract.js';
import type { LegFacts } from './facts.js';
import { CAUSES } from './prose/causes.js';
import { mbps, percent } from './prose/words.js';
import { isLimit } from './rank.js';
import type { Conclusion, Subject } from './rule.js';
import { RULES } from './rules/list.js';

const WHOSE: Readonly<Record<LimitOwner, string>> = {
  'our-host': 'at our host',
  path: 'on the path',
  unknown: 'not known where',
};

/** What the leg's findings say together: the thing an application feels first, then what the contract says of it. */
export function diagnosisOf(leg: LegFacts, conclusions: readonly Conclusion[], ruleSet: string): Diagnosis {
  const main = mainOf(conclusions);
  const primary = main && primaryOf(main.findings);
  const rule = RULES.find(({ code }) => code === primary?.code);
  const limitedBy = (primary && rule?.ownerBy?.(primary)) ?? rule?.owner ?? 'unknown';
  const contract = contractOf(leg);
  return {
    ruleSet,
    headline: headlineOf(leg, main?.subject, primary?.code, limitedBy, contract),
    limitedBy,
    ...(primary ? { primary: primary.code } : {}),
    ...(contract ? { contract } : {}),
  };
}

/** The cause that explains best; else what stands beside the rate. */
export const primaryOf = (findings: readonly Finding[]): Finding | undefined => {
  const holding = findings.filter(({ code, holds }) => holds === 'yes' && code !== 'inconclusive');
  return holding.find(isLimit) ?? holding[0];
};

/** How near a subject is to what an application with one connection feels, in the direction of the contract. */
function nearness({ subject }: Conclusion): number {
  if (subject.about === 'transactions') return 50;
  if (subject.about === 'path-mtu') return 60;
  if (subject.about !== 'flow') return subject.about === 'udp' ? 55 : 90;
  const { flow } = subject;
  const own =
    flow.asked.windowBytes === undefined &&
    flow.asked.congestionControl === undefined &&
    flow.asked.rateBps === undefined;
  return (
    (flow.kind === 'single-stream' ? 0 : 10) +
    (flow.streams === 1 ? 0 : 5) +
    (own ? 0 : 3) +
    (flow.direction === 'forward' ? 0 : 1)
  );
}

/** The nearest of which something is known; where none is, the nearest of all. */
function mainOf(conclusions: readonly Conclusion[]): Conclusion | undefined {
  const order = [...conclusions].sort((a, b) => nearness(a) - nearness(b));
  return order.find(({ findings }) => findings.some((f) => f.holds === 'yes' && isLimit(f))) ?? order[0];
}

function headlineOf(
  leg: LegFacts,
  subject: Subject | undefined,
  code: FindingCode | undefined,
  owner: LimitOwner,
  contract: Diagnosis['contract'],
): string {
  const cause = code === undefined ? CAUSES.inconclusive : `${CAUSES[code]} (${code}, ${WHOSE[owner]})`;
  const flow = subject?.about === 'flow' ? subject.flow : undefined;
  if (!contract) return flow?.throughputBps === undefined ? cause : `${mbps(flow.throughputBps)}; ${cause}`;
  const committed = contract.committedRateBps;
  const ownBps = flow ? atContractLayer.tcp(flow.throughputBps, leg) : undefined;
  const shownBps = ownBps ?? contract.measuredRateBps;
  if (shownBps === null || shownBps === undefined) return `nothing tells what the path carries; ${cause}`;
  const first = `${inUnitOf(shownBps, committed)} of ${mbps(committed)}, ${percent(shownBps / committed)} of what you pay for; ${cause}`;
  const best = contract.measuredRateBps;
  if (best === null || ownBps === undefined || best < ownBps * 1.1 || contract.basis === 'single-flow') return first;
  return `${first}. The path itself carried ${mbps(best)} (${contract.basis === 'udp' ? 'UDP' : 'several flows together'})`;
}

/** "180" of "1000 Mbit/s". */
const inUnitOf = (bps: number, committedBps: number): string => {
  const [own, other] = [mbps(bps).split(' '), mbps(committedBps).split(' ')];
  return own[1] === other[1] ? (own[0] ?? '') : own.join(' ');
};
