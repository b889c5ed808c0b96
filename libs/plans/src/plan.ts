import { abilityOf, metricFact } from '@plumbline/measure';
import type { Labels, Path } from '@plumbline/model';
import { z } from 'zod';
import { Criterion, type Reference } from './criterion.js';
import { kindOf, Test } from './kinds/list.js';

/** What somebody asks for: tests in order, and what their metrics must satisfy. */
export const PlanInput = z
  .strictObject({
    tests: z.array(Test).min(1).max(64),
    criteria: z.array(Criterion).max(256).default([]),
  })
  .superRefine((plan, context) => {
    // zod comes here too when a test is out of its limits; what its kind would say of it is then no question.
    if (context.issues.length > 0) return;
    for (const issue of planIssues(plan))
      context.addIssue({ code: 'custom', path: [...issue.path], message: issue.message });
  })
  .meta({ id: 'PlanInput' });
export type PlanInput = z.output<typeof PlanInput>;

type Shape = { readonly tests: readonly Test[]; readonly criteria: readonly Criterion[] };
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** What a plan's shape cannot say: names that occur twice, parameters that cannot go together, and criteria that no metric of the plan could ever meet. */
export function planIssues(plan: Shape): readonly Issue[] {
  const names = plan.tests.map((test) => test.name);
  const twice = names.flatMap((name, i): Issue[] =>
    name !== undefined && names.indexOf(name) !== i
      ? [{ path: ['tests', i, 'name'], message: `another test of this plan is named ${name} too` }]
      : [],
  );
  return [
    ...twice,
    ...plan.tests.flatMap(conflictIssues),
    ...plan.tests.flatMap(durationIssues),
    ...plan.criteria.flatMap((criterion, i) => criterionIssues(plan.tests, criterion, i)),
  ];
}

const conflictIssues = (test: Test, index: number): Issue[] =>
  (kindOf(test.kind)?.conflicts(test) ?? []).map(({ field, why }) => ({ path: ['tests', index, field], message: why }));

/** No single test holds a path for longer than a day; a plan that needs more is several runs. */
const LONGEST_TEST_S = 86_400;

function durationIssues(test: Test, index: number): Issue[] {
  const takesS = longestDurationS(test);
  if (takesS <= LONGEST_TEST_S) return [];
  const hours = (takesS / 3600).toPrecision(3);
  const message = `this test may take ${hours} hours and at most 24 are taken: lower repeats, cells or durations`;
  return [{ path: ['tests', index, ...(test.repeats > 1 ? ['repeats'] : [])], message }];
}

/** Seconds of test traffic of all attempts of a test; what an adaptive kind adds as it goes is not in it. */
function longestDurationS(test: Test): number {
  const attempts = kindOf(test.kind)?.attempts({ ...test, repeats: 1 }, ANY_PATH) ?? [];
  const eachS = attempts.map(
    ({ measurement, tool, spec }) => abilityOf(measurement, tool)?.prepare(spec).ceilings.maxDurationS ?? 0,
  );
  return test.repeats * eachS.reduce((sum, seconds) => sum + seconds, 0);
}

/** Durations are the same on every path. */
const ANY_PATH: Path = {
  name: 'any',
  source: { probe: 'any', endpoint: 'any' },
  destination: { probe: 'any', endpoint: 'any' },
  rateLayer: 'ip',
  createdAt: '1970-01-01T00:00:00Z',
  updatedAt: '1970-01-01T00:00:00Z',
};

function criterionIssues(tests: readonly Test[], criterion: Criterion, index: number): Issue[] {
  const at = (field: string, message: string): Issue[] => [{ path: ['criteria', index, field], message }];
  const meant = testsMeant(tests, criterion.test);
  if (meant.length === 0) return at('test', `no test of this plan has the name or kind ${criterion.test}`);
  const having = meant.filter((test) => kindOf(test.kind)?.metrics.includes(criterion.metric));
  if (having.length === 0) {
    const known = [...new Set(meant.flatMap((test) => kindOf(test.kind)?.metrics ?? []))];
    return at('metric', `no metric ${criterion.metric} here; there are ${known.join(', ')}`);
  }
  if (!having.some((test) => couldCarry(test, criterion.labels ?? {})))
    return at('labels', `no ${criterion.metric} of this plan carries these labels`);
  const wrong = criterion.of && misfit(criterion.of, criterion.metric);
  return wrong ? at('of', wrong) : [];
}

/** The tests that a criterion speaks of. A name wins over a kind; without either it is every test. */
export function testsMeant<T extends { kind: string; name?: string | undefined }>(
  tests: readonly T[],
  wanted: string | undefined,
): readonly T[] {
  if (wanted === undefined) return tests;
  const named = tests.filter((test) => test.name === wanted);
  return named.length > 0 ? named : tests.filter((test) => test.name === undefined && test.kind === wanted);
}

function couldCarry(test: Test, wanted: Labels): boolean {
  const labels = kindOf(test.kind)?.labels(test) ?? {};
  return Object.entries(wanted).every(([key, value]) =>
    Object.entries(labels).some(([k, values]) => k === key && (values.length === 0 || values.includes(value))),
  );
}

function misfit(of: Reference, metric: string): string | undefined {
  if (of === 'baseline')
    return 'this version keeps no baselines: compare with committed-rate, expected-rtt, expected-loss or a plain value';
  const unit = metricFact(metric)?.unit;
  if (of === 'committed-rate' && unit !== 'bit/s')
    return `${metric} is no rate, so it has no ratio to the committed rate`;
  if (of === 'expected-rtt' && !metric.startsWith('rtt.'))
    return `${metric} is no round-trip time, so it has no ratio to the expected one`;
  if (of === 'expected-loss' && metric !== 'loss')
    return `${metric} is no loss, so it has no ratio to the expected one`;
  return undefined;
}

/** One thing wrong with a plan; `pointer` is a JSON Pointer as a URI fragment (RFC 6901, RFC 9457). */
export interface PlanIssue {
  readonly detail: string;
  readonly pointer: string;
}
export type ParsedPlan = { ok: true; plan: PlanInput } | { ok: false; issues: readonly PlanIssue[] };

/** Reads a plan from outside. Unknown fields are errors, each with its own pointer. */
export function parsePlan(raw: unknown): ParsedPlan {
  const parsed = PlanInput.safeParse(raw);
  if (parsed.success) return { ok: true, plan: parsed.data };
  const issues = parsed.error.issues.flatMap((issue): PlanIssue[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ detail: `unknown field ${key}`, pointer: pointerOf([...issue.path, key]) }))
      : [{ detail: issue.message, pointer: pointerOf(issue.path) }],
  );
  return { ok: false, issues };
}

const pointerOf = (path: readonly PropertyKey[]): string =>
  `#${path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`;

/** Tests of which nothing could be measured on a path, each with the reason; none: all can be. */
export const misfits = (
  { tests }: Pick<PlanInput, 'tests'>,
  path: Path,
): readonly { readonly index: number; readonly detail: string }[] =>
  tests.flatMap((test, index) => {
    const detail = kindOf(test.kind)?.misfit(test, path);
    return detail === undefined ? [] : [{ index, detail }];
  });

/** Whether a leg of this plan needs its interfaces for itself: one exclusive test is enough. */
export const exclusive = (plan: Pick<PlanInput, 'tests'>): boolean =>
  plan.tests.some((test) => (kindOf(test.kind)?.sharing ?? 'exclusive') === 'exclusive');

/** Whether a leg of this plan gives way to exclusive ones: it has a long light test, and none that needs its interfaces alone. */
export const background = (plan: Pick<PlanInput, 'tests'>): boolean =>
  !exclusive(plan) && plan.tests.some((test) => kindOf(test.kind)?.sharing === 'background');
