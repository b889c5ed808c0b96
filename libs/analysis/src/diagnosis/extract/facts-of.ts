import type { LegEvidence } from '../evidence.js';
import type { LegFacts } from '../facts.js';
import { flowsOf } from './flows.js';
import { pathMtusOf, rttsOf, transactionsOf, udpOf } from './others.js';

/** What is on record of a leg, sorted by what it is about. Pure; what nobody measured is absent. */
export const factsOf = (evidence: LegEvidence): LegFacts => ({
  path: evidence.path,
  flows: evidence.steps.flatMap(flowsOf),
  udp: evidence.steps.flatMap(udpOf),
  rtts: evidence.steps.flatMap(rttsOf),
  transactions: evidence.steps.flatMap(transactionsOf),
  pathMtus: evidence.steps.flatMap((step) => pathMtusOf(step, evidence)),
});
