import type { Ability } from '@plumbline/measure';
import { type Metric, metric, missing } from '@plumbline/model';
import { type AttemptPlan, defineKind, type Kind, summarise } from '@plumbline/plans';
import { ScriptedSpec, scriptedAbilities } from '@plumbline/testing';
import { z } from 'zod';
import { Catalogue } from '../../src/execution/catalogue.js';

/** A test that does what its spec says, with the abilities of the fake probe. */
const ScriptedTest = z.looseObject({
  kind: z.string(),
  measurement: z.enum(['scripted', 'scripted-light', 'scripted-served']).default('scripted'),
  repeats: z.int().default(1),
  spec: z.unknown(),
});
const fact = {
  name: 'shouts',
  unit: 'count',
  description: 'Letters that the program printed.',
  better: 'higher',
} as const;

const scriptedKind = (sharing: 'exclusive' | 'shared'): Kind =>
  defineKind({
    kind: sharing === 'shared' ? 'scripted-light' : 'scripted',
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
const scriptedKinds = [scriptedKind('exclusive'), scriptedKind('shared')];

/** The real parsers pass on how the probe says it ended; so does this one, and counts what was printed. */
function reading(ability: Ability): Ability {
  return {
    ...ability,
    prepare: (raw) => ({
      ...ability.prepare(raw),
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
