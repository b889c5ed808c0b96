import { Injectable } from '@nestjs/common';
import { background, exclusive, misfits, PlanInput } from '@plumbline/plans';
import type { FieldError } from '../http/pointers.js';
import { invalid } from '../http/refusals.js';
import { knownProbe, pathOf } from '../paths/paths.js';
import type { LegPath } from '../persistence/leg-path.js';
import { RunEvents, type Transaction } from '../persistence/seams.js';
import { newest } from '../plans/plans.js';
import { legPathOf, SharedLinks } from './leg-path-of.js';
import type { RunAccepted, RunInput } from './run-schemas.js';

interface PlanToRun {
  readonly name?: string;
  readonly version?: number;
  readonly document: PlanInput;
}

/** Writes the rows of a new run: the run with its plan, a leg a path, a step a test, and the first event. */
@Injectable()
export class RunCreation {
  constructor(private readonly events: RunEvents) {}

  /** @throws {ProblemError} invalid-request for a plan, path or end that is not there, or a time that is past */
  async create(input: RunInput, transaction: Transaction): Promise<RunAccepted> {
    if (input.notAfter !== undefined && Date.parse(input.notAfter) <= Date.now())
      throw invalid([{ detail: 'notAfter is past already', pointer: '/notAfter' }]);
    const plan = await planOf(input.plan, transaction);
    const legPaths = await legPathsOf(input.paths, transaction);
    refuseMisfits(plan, legPaths, typeof input.plan !== 'string');
    const { tests, criteria } = plan.document;
    const times = { notBefore: dateOf(input.notBefore), notAfter: dateOf(input.notAfter) };
    const run = await transaction.run.create({
      data: {
        planName: plan.name,
        planVersion: plan.version,
        planDocument: { tests, criteria },
        label: input.label,
        priority: input.priority,
        ...times,
      },
      select: { id: true, state: true },
    });
    await transaction.leg.createMany({
      data: legPaths.map((path, index) => ({
        runId: run.id,
        index,
        pathName: path.path.name,
        pathDocument: path,
        exclusive: exclusive(plan.document),
        background: background(plan.document),
        priority: input.priority,
        ...times,
      })),
    });
    await addSteps(run.id, tests, transaction);
    await this.events.append(run.id, 'run', { state: run.state }, { client: transaction });
    return run;
  }
}

const dateOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

/** One statement: 256 legs of 64 tests are more rows than a statement has parameters. */
async function addSteps(runId: string, tests: PlanToRun['document']['tests'], client: Transaction): Promise<void> {
  const kinds = tests.map((test) => test.kind);
  const names = tests.map((test) => test.name ?? null);
  await client.$executeRaw`
    INSERT INTO step (id, leg_id, index, kind, name)
    SELECT gen_random_uuid(), leg.id, test.ord - 1, test.kind, test.name
    FROM leg CROSS JOIN unnest(${kinds}::text[], ${names}::text[]) WITH ORDINALITY AS test (kind, name, ord)
    WHERE leg.run_id = ${runId}::uuid`;
}

/** @throws {ProblemError} invalid-request for a test of which nothing could be measured on one of the paths */
function refuseMisfits(plan: PlanToRun, legPaths: readonly LegPath[], inline: boolean): void {
  const errors = legPaths.flatMap(({ path }, i) =>
    misfits(plan.document, path).map(({ index, detail }) => ({
      detail,
      pointer: inline ? `/plan/tests/${index}` : `/paths/${i}`,
    })),
  );
  if (errors.length > 0) throw invalid(errors);
}

async function planOf(plan: RunInput['plan'], transaction: Transaction): Promise<PlanToRun> {
  if (typeof plan !== 'string') return { document: plan };
  const stored = await newest(plan, transaction);
  if (!stored) throw invalid([{ detail: `there is no plan ${plan}`, pointer: '/plan' }]);
  const document = PlanInput.safeParse({ tests: stored.tests, criteria: stored.criteria });
  if (!document.success)
    throw invalid([
      { detail: `this version cannot run the plan: ${document.error.issues[0]?.message}`, pointer: '/plan' },
    ]);
  return { name: stored.name, version: stored.version, document: document.data };
}

async function legPathsOf(names: readonly string[], transaction: Transaction): Promise<LegPath[]> {
  const paths = (await transaction.path.findMany({ where: { name: { in: [...names] } } })).map(pathOf);
  const wanted = [...new Set(paths.flatMap((path) => [path.source.probe, path.destination.probe]))];
  const probes = (await transaction.probe.findMany({ where: { name: { in: wanted } } })).map(knownProbe);
  const sites = await transaction.site.findMany({ where: { name: { in: probes.map((probe) => probe.site) } } });
  const linksOfSite = new Map(sites.map((site) => [site.name, SharedLinks.parse(site.sharedLinks ?? [])]));
  const errors: FieldError[] = [];
  const found = names.flatMap((name, i) => {
    const path = paths.find((p) => p.name === name);
    const leg = path ? legPathOf(path, probes, linksOfSite) : { errors: [{ detail: `there is no path ${name}` }] };
    if (!('errors' in leg)) return [leg];
    errors.push(...leg.errors.map(({ detail }) => ({ detail, pointer: `/paths/${i}` })));
    return [];
  });
  if (errors.length > 0) throw invalid(errors);
  return found;
}
