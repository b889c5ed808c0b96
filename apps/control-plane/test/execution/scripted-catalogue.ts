import type { Ability, PreparedAbility, Sharing } from '@plumbline/measure';
import { type Metric, metric, missing } from '@plumbline/model';
import {
  type AttemptPlan,
  type AttemptResult,
  defineAdaptiveKind,
  defineKind,
  type Kind,
  summarise,
} from '@plumbline/plans';
import { ScriptedSpec, scriptedAbilities } from '@plumbline/testing';
import { z } from 'zod';
import { Catalogue } from '../../src/execution/catalogue.js';

/** A test that does what its spec says, with the abilities of the fake probe. */
const ScriptedTest = z.looseObject({
  kind: z.string(),
  measurement: z.enum(['scripted', 'scripted-light', 'scripted-served', 'scripted-background']).default('scripted'),
  repeats: z.int().default(1),
  spec: z.unknown(),
});
const fact = {
  name: 'shouts',
  unit: 'count',
  description: 'Letters that the program printed.',
  better: 'higher',
} as const;

const KINDS = { exclusive: 'scripted', shared: 'scripted-light', background: 'scripted-background' } as const;
const scriptedKind = (sharing: Sharing): Kind =>
  defineKind({
    kind: KINDS[sharing],
    title: 'Scripted',
    description: 'What its spec says.',
    sharing,
    test: ScriptedTest,
    metrics: ['shouts'],
    labels: () => ({}),
    attempts: ({ measurement, repeats, spec }) =>
      Array.from(
        { length: repeats },
        (_, i): AttemptPlan => ({
          repeat: i + 1,
          cell: {},
          measurement,
          schemaVersion: 1,
          tool: 'sh',
          spec: ScriptedSpec.parse(spec),
        }),
      ),
    summarise: (_test, results) => summarise([fact], results),
  });

/** Climbs: each attempt prints one letter more than the last one did, until `upTo`; what was not printed ends it. */
const ClimbTest = ScriptedTest.extend({
  upTo: z.int(),
  sleepMs: z.int().default(0),
  helpFirst: z.boolean().default(false),
});
type ClimbTest = z.output<typeof ClimbTest>;

function nextOfClimb(
  { upTo, sleepMs, helpFirst, measurement }: ClimbTest,
  results: readonly AttemptResult[],
): AttemptPlan | undefined {
  const how = { repeat: 1, measurement, schemaVersion: 1, tool: 'sh' };
  const phaseOf = (stdout: string) => [{ name: 'test', stdout, sleepMs }];
  if (helpFirst && results.length === 0) {
    const spec = ScriptedSpec.parse({ phases: phaseOf('x'), needsTool: 'a-tool-that-nobody-has' });
    return { ...how, measurement: 'scripted', cell: {}, spec, optional: true };
  }
  const shouts = results.filter(({ plan }) => !plan.optional).map(({ metrics }) => metrics[0]?.value);
  const last = shouts.length === 0 ? 0 : shouts.at(-1);
  if (last === null || last === undefined || last >= upTo) return undefined;
  const offeredBps = String(last + 1);
  const startsAt = shouts.length % 2 === 1 && measurement === 'scripted-light' ? { startsAt: 'far' as const } : {};
  return {
    ...how,
    ...startsAt,
    cell: { offeredBps },
    spec: ScriptedSpec.parse({ phases: phaseOf('x'.repeat(last + 1)) }),
  };
}

const climb: Kind = defineAdaptiveKind(
  defineKind({
    kind: 'climb',
    title: 'Climb',
    description: 'Each attempt goes on from what the last one gave.',
    sharing: 'exclusive',
    test: ClimbTest,
    metrics: ['shouts'],
    labels: () => ({ offeredBps: [] }),
    attempts: (test) => [nextOfClimb(test, [])].filter((plan) => plan !== undefined),
    summarise: (_test, results) =>
      summarise(
        [fact],
        results.filter(({ plan }) => !plan.optional),
      ),
  }),
  ClimbTest,
  (test, _path, results) => nextOfClimb(test, results),
);
const scriptedKinds = [climb, scriptedKind('exclusive'), scriptedKind('shared'), scriptedKind('background')];

/** Names the attempt that it is compared with, and how many letters that one had printed. */
const lettersSinceLast: PreparedAbility['sinceLast'] = {
  same: {},
  compare: (reading, earlier) => ({
    ...reading,
    result: { ...Object(reading.result), changes: { since: earlier ?? null, hops: [], length: {} } },
  }),
};

/** The real parsers pass on how the probe says it ended; so does this one, and counts what was printed. */
function reading(ability: Ability): Ability {
  return {
    ...ability,
    prepare: (raw) => ({
      ...ability.prepare(raw),
      ...(ability.measures === 'scripted-light' && { sinceLast: lettersSinceLast }),
      isDataSocket: () => true,
      read: (output) => {
        const printed = output.phases.find((phase) => phase.end === 'near')?.stdout.length;
        const shouts: Metric =
          output.ending.outcome === 'completed' && printed !== undefined
            ? metric('shouts', 'count', printed)
            : missing('shouts', 'count', 'attempt-failed');
        return { ending: output.ending, metrics: [shouts], result: { printed }, notes: [] };
      },
    }),
  };
}

export class ScriptedCatalogue extends Catalogue {
  private readonly abilities = scriptedAbilities.map(reading);

  override abilityOf(measures: string, tool: string) {
    return this.abilities.find((a) => a.measures === measures && a.tool === tool) ?? super.abilityOf(measures, tool);
  }
  override kindOf(name: string) {
    return scriptedKinds.find((kind) => kind.kind === name) ?? super.kindOf(name);
  }
}
