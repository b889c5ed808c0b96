import type { Finding } from '@plumbline/model';
import { isLimit } from '../rank.js';

/**
 * What is said when no cause holds: which facts were lacking, and what to measure next. Not a rule of its own: it needs what
 * all others said of the same subject.
 */
export function inconclusiveOf(findings: readonly Finding[], measuredBps: number | undefined): Finding | null {
  if (findings.some((finding) => finding.holds === 'yes' && isLimit(finding))) return null;
  const open = findings.filter((finding) => finding.holds === 'cannot-tell');
  const missing = unique(open.flatMap((finding) => finding.missing ?? []));
  const next = unique(open.flatMap((finding) => finding.measureNext ?? []));
  return {
    code: 'inconclusive',
    holds: 'yes',
    evidence: measuredBps === undefined ? {} : { measuredBps },
    ...(missing.length > 0 ? { missing } : {}),
    ...(next.length > 0 ? { measureNext: next } : {}),
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

export const inconclusiveProse = ({ missing = [], measureNext = [] }: Finding): string =>
  [
    missing.length > 0
      ? `What limits this cannot be told; lacking are: ${missing.join('; ')}.`
      : 'None of the known causes explains this.',
    ...(measureNext.length > 0 ? [`Next: ${measureNext.join('; ')}.`] : []),
  ].join(' ');
