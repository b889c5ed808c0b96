import type { Finding, FindingCode, LimitOwner } from '@plumbline/model';
import type { FlowFacts, LegFacts, PathMtuFacts, RttFacts, TransactionFacts, UdpFacts } from './facts.js';

/** What a rule is asked about: one thing that one step measured. */
export type Subject =
  | { readonly about: 'flow'; readonly flow: FlowFacts }
  | { readonly about: 'udp'; readonly udp: UdpFacts }
  | { readonly about: 'rtt'; readonly rtt: RttFacts }
  | { readonly about: 'transactions'; readonly transactions: TransactionFacts }
  | { readonly about: 'path-mtu'; readonly pathMtu: PathMtuFacts };

/** What a rule says; labels and prose are added by others. */
export type Judgement = Pick<Finding, 'holds' | 'evidence' | 'predictedCeilingBps' | 'missing' | 'measureNext'>;

/** One cause. Each lives in a file of its own under rules/ and is a line of the list. */
export interface Rule {
  readonly code: FindingCode;
  /** Who can act when it holds. */
  readonly owner: LimitOwner;
  /** Where the evidence tells it otherwise than the code does. */
  readonly ownerBy?: (finding: Finding) => LimitOwner | undefined;
  /** `limit`: it explains a rate. `condition`: it stands beside a rate, whatever limits that. */
  readonly effect: 'limit' | 'condition';
  /** Which subjects it can say anything about; on others it is silent. */
  readonly about: readonly Subject['about'][];
  /** Pure. Never guesses: a fact that it lacks makes cannot-tell, with its name in `missing`. Null: there is nothing to ask. */
  readonly judge: (subject: Subject, leg: LegFacts) => Judgement | null;
  /** One or two sentences from the evidence: what is so, and what to do. */
  readonly prose: (finding: Finding) => string;
}

/** What all rules together concluded of one thing that was measured. */
export interface Conclusion {
  readonly subject: Subject;
  readonly findings: readonly Finding[];
}
