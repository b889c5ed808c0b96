import type { Leg, Step } from '@plumbline/api-client';
import type { Finding, LimitOwner } from '@plumbline/model';
import { wrap } from '../output/table.js';
import { type Style, styled, type Terminal } from '../output/terminal.js';

const OWNERS: Readonly<Record<LimitOwner, string>> = {
  'our-host': 'our host',
  path: 'the path',
  unknown: 'not known',
};
const HOLDS: Readonly<Record<Finding['holds'], { readonly mark: string; readonly style: Style }>> = {
  yes: { mark: '!', style: 'yellow' },
  'cannot-tell': { mark: '?', style: 'dim' },
  no: { mark: '-', style: 'dim' },
};

/**
 * What a run says in one line a leg, before everything else. A leg that has ended without a diagnosis says how to get one.
 * @param runId for that
 */
export function printHeadlines(runId: string, legs: readonly Leg[], out: Terminal): void {
  for (const leg of legs) {
    const of = legs.length > 1 ? `${leg.path}: ` : '';
    if (leg.diagnosis) out.write(styled(out, 'bold', wrap(`${of}${leg.diagnosis.headline}`, out.columns(), '')));
    else if (isUndiagnosed(leg)) out.write(wrap(`${of}not diagnosed yet: plumb diagnose ${runId}`, out.columns(), ''));
  }
}

/** Where a cause was found, how to hear what can be done about it. */
export function printNextStep(runId: string, legs: readonly Leg[], out: Terminal): void {
  const index = legs.findIndex(({ diagnosis }) => diagnosis?.primary !== undefined);
  if (index >= 0) out.write(`\nWhat to do about it: plumb advise ${runId}${index === 0 ? '' : ` --leg ${index}`}\n`);
}

/** It was diagnosed at its end only if something was attempted, by a version that does so, and no rule failed. */
const isUndiagnosed = ({ diagnosis, endedAt, steps }: Leg): boolean =>
  !diagnosis && endedAt !== null && steps.some(({ attempts }) => attempts.some(({ outcome }) => outcome !== null));

/** The first thing that a person wants to know of a leg: what it got of what was promised, and whose limit that is. */
export function printHeadline({ diagnosis }: Pick<Leg, 'diagnosis'>, out: Terminal): void {
  if (!diagnosis) return;
  out.write(styled(out, 'bold', wrap(diagnosis.headline, out.columns(), '  ')));
  out.write(`  limited by: ${OWNERS[diagnosis.limitedBy]}\n`);
}

/** The findings of a step in their order: those that hold whole, what cannot be told in a line each, the others only with `all`. */
export function printFindings({ findings }: Pick<Step, 'findings'>, all: boolean, out: Terminal): void {
  for (const finding of findings) if (finding.holds === 'yes') printFinding(finding, all, out);
  for (const finding of findings) if (finding.holds === 'cannot-tell') printFinding(finding, all, out);
  if (all) for (const finding of findings) if (finding.holds === 'no') printFinding(finding, all, out);
}

function printFinding(finding: Finding, all: boolean, out: Terminal): void {
  const { mark, style } = HOLDS[finding.holds];
  out.write(styled(out, style, wrap(`${mark} ${findingName(finding)}: ${sentence(finding)}`, out.columns(), '    ')));
  // What is inconclusive says in its text already what to measure.
  if (finding.holds === 'yes' && finding.code !== 'inconclusive')
    for (const next of nextOf(finding)) out.write(wrap(next, out.columns(), '      '));
  if (all) out.write(wrap(figures(finding), out.columns(), '      '));
}

/** `receive-window-limited (reverse, cubic)`. */
export function findingName({ code, labels }: Pick<Finding, 'code' | 'labels'>): string {
  const words = Object.values(labels ?? {});
  return words.length === 0 ? code : `${code} (${words.join(', ')})`;
}

function sentence({ holds, text, missing, measureNext }: Finding): string {
  if (holds === 'yes') return text ?? 'it holds.';
  if (holds === 'no') return 'it does not hold.';
  const lacks = missing && missing.length > 0 ? `cannot tell without ${missing.join(', ')}.` : 'cannot tell.';
  return [lacks, ...nextOf({ measureNext })].join(' ');
}

/** What would tell, named by the rules: `a parallel test`. */
const nextOf = ({ measureNext }: Pick<Finding, 'measureNext'>): string[] =>
  measureNext && measureNext.length > 0 ? [`Measure next: ${measureNext.join('; ')}.`] : [];

/** The numbers that show it: `windowBytes 65535, rttMs 45.1, predicted ceiling ... bit/s`. */
export function figures({ evidence, predictedCeilingBps }: Finding): string {
  const all = Object.entries(evidence).map(([name, value]) => `${name} ${shortNumber(value)}`);
  if (predictedCeilingBps !== undefined) all.push(`predictedCeilingBps ${shortNumber(predictedCeilingBps)}`);
  return all.join(', ');
}

const shortNumber = (value: number): string =>
  Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
