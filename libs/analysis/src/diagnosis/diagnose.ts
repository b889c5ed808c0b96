import type { Diagnosis, Finding } from '@plumbline/model';
import type { LegEvidence } from './evidence.js';
import { factsOf } from './extract/facts-of.js';
import type { LegFacts } from './facts.js';
import { diagnosisOf } from './headline.js';
import { ranked } from './rank.js';
import type { Rule, Subject } from './rule.js';
import { inconclusiveOf, inconclusiveProse } from './rules/inconclusive.js';
import { RULES } from './rules/list.js';
import { labelsOf, measuredBpsOf, stepOf, subjectsOf } from './subjects.js';

/** Version of the rules. Raise it with every change that may let the same facts conclude otherwise. */
export const RULE_SET = '2026.12.1';

/** The findings of a leg by the index of their step, ranked, and what they say together. */
export interface LegDiagnosis {
  readonly findings: Record<number, Finding[]>;
  readonly diagnosis: Diagnosis;
}

/** From all that is on record of one leg to what limits it. Pure; throws for no evidence. */
export const diagnose = (evidence: LegEvidence): LegDiagnosis => diagnoseFacts(factsOf(evidence));

/** The same from facts. */
export function diagnoseFacts(leg: LegFacts): LegDiagnosis {
  const conclusions = subjectsOf(leg).map((subject) => ({ subject, findings: concludeOn(subject, leg) }));
  const findings: Record<number, Finding[]> = {};
  for (const { subject, findings: own } of conclusions)
    findings[stepOf(subject)] = [...(findings[stepOf(subject)] ?? []), ...own];
  return { findings, diagnosis: diagnosisOf(leg, conclusions, RULE_SET) };
}

/** All that the rules say of one subject, ranked, with `inconclusive` where nothing explains it. */
export function concludeOn(subject: Subject, leg: LegFacts): Finding[] {
  const own = RULES.filter((rule) => rule.about.includes(subject.about)).flatMap((rule) =>
    findingOf(rule, subject, leg),
  );
  const order = ranked(own);
  const open = subject.about === 'flow' ? inconclusiveOf(order, measuredBpsOf(subject)) : null;
  if (open === null) return order;
  const labels = labelsOf(subject);
  const finding = { ...open, ...(Object.keys(labels).length > 0 ? { labels } : {}), text: inconclusiveProse(open) };
  const holding = order.filter(({ holds }) => holds === 'yes');
  return [...holding, finding, ...order.slice(holding.length)];
}

function findingOf(rule: Rule, subject: Subject, leg: LegFacts): Finding[] {
  const judgement = rule.judge(subject, leg);
  if (judgement === null) return [];
  const labels = labelsOf(subject);
  const finding: Finding = { code: rule.code, ...judgement, ...(Object.keys(labels).length > 0 ? { labels } : {}) };
  return [finding.holds === 'yes' ? { ...finding, text: rule.prose(finding) } : finding];
}
