import type { FindingCode } from '@plumbline/model';
import { committedTcpBps, udpAtLeastBps, udpCapacityBps } from '../diagnosis/capacity.js';
import type { LegDiagnosis } from '../diagnosis/diagnose.js';
import type { FlowFacts, LegFacts } from '../diagnosis/facts.js';
import { viewOf, wayOf } from '../diagnosis/flow-view.js';
import { greatestOf, known, leastOf } from '../diagnosis/numbers.js';
import { labelsOf } from '../diagnosis/subjects.js';
import { bdpBytes } from '../theory/bandwidth-delay.js';
import type { Target } from './buffers.js';

/** A flow that a host holds back says nothing of what the path carries. */
const HELD_BY_HOST: readonly FindingCode[] = [
  'receive-window-limited',
  'send-buffer-limited',
  'application-window-limited',
  'window-scaling-missing',
];

/** What holds of one flow. */
export function codesOf(flow: FlowFacts, findings: LegDiagnosis['findings']): Set<FindingCode> {
  const labels = JSON.stringify(labelsOf({ about: 'flow', flow }));
  const own = (findings[flow.step] ?? []).filter(
    (finding) => finding.holds === 'yes' && JSON.stringify(finding.labels ?? {}) === labels,
  );
  return new Set(own.map(({ code }) => code));
}

/**
 * The rate that the path is to carry one way, and its round trip without queues: the contract's rate, else what UDP or a flow that no
 * host held back was seen to get. What a window allows now is no target: it would grow with each round of advice.
 */
export function targetOf(
  leg: LegFacts,
  findings: LegDiagnosis['findings'],
  way: 'forward' | 'reverse',
): Target | undefined {
  const rateBps = committedTcpBps(leg) ?? provenBps(leg, findings, way);
  const idle = leastOf(known(leg.flows.map((flow) => viewOf(flow, leg).idleRttMs)));
  const rttMs = idle ?? leastOf(known(leg.rtts.map((rtt) => rtt.minMs))) ?? leg.path.expectedRttMs;
  if (rateBps === undefined || rttMs === undefined || !(rateBps > 0) || !(rttMs > 0)) return undefined;
  return { rateBps, rttMs, bdpBytes: Math.round(bdpBytes(rateBps, rttMs)) };
}

function provenBps(leg: LegFacts, findings: LegDiagnosis['findings'], way: 'forward' | 'reverse') {
  const free = leg.flows.filter(
    (flow) => wayOf(flow) === way && !HELD_BY_HOST.some((code) => codesOf(flow, findings).has(code)),
  );
  const udp = udpCapacityBps(leg, way) ?? udpAtLeastBps(leg, way);
  return greatestOf(known([udp, ...free.map((flow) => flow.throughputBps)]));
}
