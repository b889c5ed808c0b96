import type { Labels } from '@plumbline/model';
import type { LegFacts } from './facts.js';
import type { Subject } from './rule.js';

/** Everything that a leg measured and that can be asked about. */
export const subjectsOf = (leg: LegFacts): Subject[] => [
  ...leg.flows.map((flow) => ({ about: 'flow' as const, flow })),
  ...leg.udp.map((udp) => ({ about: 'udp' as const, udp })),
  ...leg.transactions.map((transactions) => ({ about: 'transactions' as const, transactions })),
  ...leg.rtts.map((rtt) => ({ about: 'rtt' as const, rtt })),
  ...leg.pathMtus.map((pathMtu) => ({ about: 'path-mtu' as const, pathMtu })),
];

export function stepOf(subject: Subject): number {
  switch (subject.about) {
    case 'flow':
      return subject.flow.step;
    case 'udp':
      return subject.udp.step;
    case 'transactions':
      return subject.transactions.step;
    case 'rtt':
      return subject.rtt.step;
    case 'path-mtu':
      return subject.pathMtu.step;
  }
}

/** Which of its step's things it is about. */
export function labelsOf(subject: Subject): Labels {
  switch (subject.about) {
    case 'flow':
      return { ...(subject.flow.direction === 'reverse' ? { direction: 'reverse' } : {}), ...subject.flow.labels };
    case 'udp':
      return subject.udp.direction === 'reverse' ? { direction: 'reverse' } : {};
    case 'transactions':
      return subject.transactions.labels;
    case 'path-mtu':
      return subject.pathMtu.direction === 'reverse' ? { direction: 'reverse' } : {};
    case 'rtt':
      return {};
  }
}

/** The rate that it measured, where it measured one. */
export const measuredBpsOf = (subject: Subject): number | undefined =>
  subject.about === 'flow' ? subject.flow.throughputBps : undefined;
