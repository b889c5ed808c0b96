import type { Finding } from '@plumbline/model';
import { concludeOn } from '../diagnose.js';
import type { FlowFacts, LegFacts } from '../facts.js';

/** Facts of legs for tests: a path without a contract, and what is said on top of it. */
export const exampleLeg = (over: Partial<LegFacts> = {}): LegFacts => ({
  path: {
    name: 'a-to-b',
    source: { probe: 'a', endpoint: 'a' },
    destination: { probe: 'b', endpoint: 'b' },
    rateLayer: 'ip',
    createdAt: '2026-11-30T00:00:00.000Z',
    updatedAt: '2026-11-30T00:00:00.000Z',
  },
  flows: [],
  udp: [],
  rtts: [],
  transactions: [],
  pathMtus: [],
  ...over,
});

export const exampleFlow = (over: Partial<FlowFacts> = {}): FlowFacts => ({
  step: 0,
  kind: 'single-stream',
  attempt: 0,
  outcome: 'completed',
  labels: {},
  direction: 'forward',
  streams: 1,
  durationS: 20,
  omitS: 3,
  asked: {},
  series: [],
  hosts: {},
  ...over,
});

/** What holds of a leg's flow, the best explanation first. */
export const holding = (leg: LegFacts, flow: FlowFacts | undefined = leg.flows[0]): Finding[] =>
  flow === undefined ? [] : concludeOn({ about: 'flow', flow }, leg).filter(({ holds }) => holds === 'yes');
