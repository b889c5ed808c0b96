import type { Plan, PlanInput } from '@plumbline/api-client';
import { Command } from 'commander';
import { z } from 'zod';
import { connect } from '../connection/api.js';
import type { BuildCommand } from '../context.js';
import { usage } from '../failure.js';
import { jsonFile } from '../input/json-file.js';
import { connected } from '../input/options.js';
import { facts, table } from '../output/table.js';
import type { Terminal } from '../output/terminal.js';
import { Connected } from './flags.js';
import { addList, addRemove, addShow, type Resource } from './resource.js';

const PutFlags = Connected.extend({ file: z.string() });

export const planCommand: BuildCommand = (context) => {
  const plan = new Command('plan').description(
    'Named, versioned lists of tests, with what their numbers must satisfy.',
  );
  connected(plan.command('put'))
    .argument('<name>')
    .summary('store a plan')
    .description('Stores a plan; a changed plan of the same name is a new version.')
    .requiredOption('-f, --file <file>', 'JSON: {"tests": [...], "criteria": [...]}; - for standard input')
    .addHelpText('after', EXAMPLE)
    .action(async (name: string, raw: unknown) => {
      const flags = PutFlags.parse(raw);
      const body = planShape(await jsonFile(flags.file, context), flags.file);
      const api = await connect(flags, context);
      const stored = await api.ask(
        `Storing plan ${name}`,
        api.client.PUT('/v1/plans/{name}', { params: { path: { name } }, body }),
      );
      context.out.write(`The plan ${name} is stored as version ${stored.version}.\n`);
    });
  addList(plan, PLANS, context);
  addShow(plan, PLANS, context);
  addRemove(plan, 'plan', context, (api, name) =>
    api.ask(
      `Removing plan ${name}`,
      api.client.DELETE('/v1/plans/{name}', { params: { path: { name } } }),
      'plumb plan list',
    ),
  );
  return plan;
};

const EXAMPLE = `
Example:
  $ echo '{"tests": [{"kind": "rtt"}, {"kind": "single-stream", "durationS": 10, "omitS": 2}]}' | plumb plan put first -f -
`;

/**
 * Only the outer shape: which kinds there are, and what each takes, is the control plane's to judge.
 * @throws {Failure} usage
 */
export function planShape(value: unknown, file: string): PlanInput {
  const parsed = z.looseObject({ tests: z.array(z.looseObject({ kind: z.string() })) }).safeParse(value);
  if (!parsed.success)
    throw usage(
      `${file} is no plan: an object with "tests", each with a "kind", is expected.`,
      'plumb plan put --help',
    );
  return value as PlanInput;
}

const kinds = (p: Plan): string => p.tests.map((t) => t.name ?? t.kind).join(', ');

const PLANS: Resource<Plan> = {
  noun: 'plan',
  plural: 'plans',
  first: 'plumb plan put NAME -f FILE',
  columns: [
    { title: 'name' },
    { title: 'version', align: 'right' },
    { title: 'tests', flexible: true },
    { title: 'criteria', align: 'right' },
  ],
  row: (p) => [p.name, String(p.version), kinds(p), String(p.criteria.length)],
  list: (api, query) => api.ask('Listing plans', api.client.GET('/v1/plans', { params: { query } })),
  get: (api, name) =>
    api.ask(
      `Showing plan ${name}`,
      api.client.GET('/v1/plans/{name}', { params: { path: { name } } }),
      'plumb plan list',
    ),
  print: printPlan,
};

function printPlan(p: Plan, out: Terminal): void {
  out.write(
    facts([
      ['name', p.name],
      ['version', String(p.version)],
      ['changed', p.updatedAt],
    ]),
  );
  const rest = (item: object, ...known: string[]): string =>
    Object.entries(item)
      .filter(([key]) => !known.includes(key))
      .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
      .join(' ');
  out.write('\n');
  out.write(
    table(
      out,
      [{ title: 'test' }, { title: 'kind' }, { title: 'parameters', flexible: true }],
      p.tests.map((t, i) => [t.name ?? String(i), t.kind, rest(t, 'kind', 'name')]),
    ),
  );
  if (p.criteria.length === 0) return;
  out.write('\n');
  out.write(
    table(
      out,
      [{ title: 'criterion on' }, { title: 'must be', flexible: true }],
      p.criteria.map((c) => [c.metric, rest(c, 'metric')]),
    ),
  );
}
