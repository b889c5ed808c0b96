import type { Finding, FindingChange } from '@plumbline/model';
import { canonicalJson } from '../../http/canonical.js';

/** Figures that lie this near to each other, relatively, are the same: sums of doubles in another order. */
const SAME_RATIO = 1e-9;

/** What two sets of findings of one leg say differently; both by the index of their step. */
export function findingChanges(
  before: readonly (readonly Finding[])[],
  after: readonly (readonly Finding[])[],
): FindingChange[] {
  const steps = Math.max(before.length, after.length);
  return Array.from({ length: steps }, (_, step) => stepChanges(step, before[step] ?? [], after[step] ?? [])).flat();
}

function stepChanges(step: number, before: readonly Finding[], after: readonly Finding[]): FindingChange[] {
  const [old, now] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    const code = (is ?? was)?.code;
    if (code === undefined || (was && is && saysTheSame(was, is))) return [];
    const labels = (is ?? was)?.labels;
    return [
      { step, code, ...(labels ? { labels } : {}), ...(was ? { before: was } : {}), ...(is ? { after: is } : {}) },
    ];
  });
}

const byKey = (findings: readonly Finding[]): Map<string, Finding> =>
  new Map(findings.map((finding) => [`${finding.code} ${canonicalJson(finding.labels ?? {})}`, finding]));

function saysTheSame(a: Finding, b: Finding): boolean {
  const words = (finding: Finding) => canonicalJson([finding.holds, finding.missing ?? [], finding.measureNext ?? []]);
  const [mine, other] = [numbersOf(a), numbersOf(b)];
  return (
    words(a) === words(b) &&
    mine.size === other.size &&
    [...mine].every(([name, value]) => near(value, other.get(name)))
  );
}

const numbersOf = ({ evidence, predictedCeilingBps }: Finding): Map<string, number> =>
  new Map([
    ...Object.entries(evidence),
    ...(predictedCeilingBps === undefined ? [] : [['predictedCeilingBps', predictedCeilingBps] as const]),
  ]);

const near = (a: number, b: number | undefined): boolean =>
  b !== undefined && Math.abs(a - b) <= SAME_RATIO * Math.max(Math.abs(a), Math.abs(b));
