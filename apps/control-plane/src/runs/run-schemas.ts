import { Leg, Name, RunState, Verdict } from '@plumbline/model';
import { PlanInput } from '@plumbline/plans';
import { z } from 'zod';
import { PageQuery, pageOf } from '../http/pages.js';
import { StoredTests } from '../plans/plan-schemas.js';

const When = z.iso.datetime({ offset: true }).meta({ description: 'RFC 3339' });
const Label = z.string().min(1).max(200);

export const RunInput = z
  .strictObject({
    plan: z
      .union([Name, PlanInput], { error: 'the name of a plan, or a plan itself: {tests, criteria?}' })
      .meta({ description: 'The name of a stored plan, or an inline one' }),
    paths: z
      .array(Name)
      .min(1)
      .max(256)
      .superRefine((names, context) => {
        names.forEach((name, i) => {
          if (names.indexOf(name) !== i)
            context.addIssue({ code: 'custom', path: [i], message: `the path ${name} is named twice` });
        });
      })
      .meta({ description: 'One leg each' }),
    label: Label.optional(),
    priority: z.int().min(-100).max(100).default(0).meta({ description: 'Higher goes first' }),
    notBefore: When.optional(),
    notAfter: When.optional(),
  })
  .superRefine((run, context) => {
    const [from, to] = [run.notBefore, run.notAfter].map((text) => (text === undefined ? undefined : Date.parse(text)));
    if (from !== undefined && to !== undefined && to <= from)
      context.addIssue({ code: 'custom', path: ['notAfter'], message: 'notAfter is not later than notBefore' });
  })
  .meta({ id: 'RunInput' });
export type RunInput = z.output<typeof RunInput>;

export const RunAccepted = z.object({ id: z.uuid(), state: RunState }).meta({ id: 'RunAccepted' });
export type RunAccepted = z.output<typeof RunAccepted>;

const facts = {
  label: z.string().optional(),
  priority: z.int(),
  notBefore: z.iso.datetime().optional(),
  notAfter: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  reparsed: z.object({ at: z.iso.datetime(), version: z.string() }).optional().meta({
    description: 'When a new reading of stored output last replaced part of the record, and which version made it.',
  }),
};
const named = { name: z.string().optional(), version: z.int().optional() };

/** The run document. `steps[i]` of a leg is `plan.tests[i]`. */
export const Run = z
  .object({
    id: z.uuid(),
    state: RunState,
    verdict: Verdict,
    plan: z.object({ ...named, ...StoredTests.shape }),
    ...facts,
    legs: z.array(Leg),
  })
  .meta({ id: 'Run' });
export type Run = z.output<typeof Run>;

export const RunSummary = z
  .object({
    id: z.uuid(),
    state: RunState,
    verdict: Verdict,
    plan: z.object(named),
    paths: z.array(z.string()),
    ...facts,
  })
  .meta({ id: 'RunSummary' });
export type RunSummary = z.output<typeof RunSummary>;

export const RunPage = pageOf(RunSummary, 'RunPage');

export const RunsQuery = z.strictObject({
  ...PageQuery.shape,
  state: RunState.optional(),
  plan: Name.optional().meta({ description: 'Runs of the plan of that name' }),
  path: Name.optional().meta({ description: 'Runs with a leg on that path' }),
  label: Label.optional(),
});
export type RunsQuery = z.output<typeof RunsQuery>;
