import { Controller } from '@nestjs/common';
import { measurementCatalogue, metricCatalogue, toolCatalogue } from '@plumbline/measure';
import { Unit } from '@plumbline/model';
import { criterionSchema, kindCatalogue } from '@plumbline/plans';
import { z } from 'zod';
import { Route } from '../http/route.js';

const JsonSchema = z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema 2020-12' });
const Sharing = z.enum(['exclusive', 'shared', 'background']);
const MetricEntry = z
  .object({ name: z.string(), unit: Unit, description: z.string(), better: z.enum(['higher', 'lower', 'none']) })
  .meta({ id: 'MetricEntry' });
const Catalogue = z
  .object({
    kinds: z.array(
      z.object({
        kind: z.string(),
        title: z.string(),
        description: z.string(),
        sharing: Sharing,
        metrics: z.array(z.string()),
        schema: JsonSchema,
      }),
    ),
    measurements: z.array(
      z.object({
        kind: z.string(),
        schemaVersion: z.int(),
        sharing: Sharing,
        tools: z.array(z.string()),
        metrics: z.array(MetricEntry),
        spec: JsonSchema,
      }),
    ),
    tools: z.array(
      z.object({ tool: z.string(), package: z.string(), versions: z.string(), measures: z.array(z.string()) }),
    ),
    metrics: z.array(MetricEntry),
    criterion: JsonSchema,
  })
  .meta({ id: 'Catalogue' });

/** The same for the life of the process. */
const catalogue = () => ({
  kinds: kindCatalogue().map((kind) => ({ ...kind, schema: rootInlined(kind.schema) })),
  measurements: measurementCatalogue().map((measurement) => ({ ...measurement, spec: rootInlined(measurement.spec) })),
  tools: toolCatalogue(),
  metrics: metricCatalogue(),
  criterion: rootInlined(criterionSchema()),
});

type Schema = Readonly<Record<string, unknown>>;
const Definitions = z.record(z.string(), z.record(z.string(), z.unknown()));

/** A schema that is only a reference into its own `$defs`, as the schema itself: forms read `properties` at the root. */
function rootInlined({ $ref, $defs, ...rest }: Schema): Schema {
  const name = typeof $ref === 'string' ? /^#\/\$defs\/(.+)$/.exec($ref)?.[1] : undefined;
  const definitions = Definitions.safeParse($defs).data ?? {};
  const root = name === undefined ? undefined : definitions[name];
  if (!root || name === undefined) return { ...rest, ...($ref ? { $ref } : {}), ...($defs ? { $defs } : {}) };
  const { [name]: _, ...others } = definitions;
  return { ...rest, ...root, ...(Object.keys(others).length > 0 ? { $defs: others } : {}) };
}

@Controller()
export class CatalogueController {
  private readonly made = catalogue();

  @Route('GET', '/v1/catalogue', {
    operationId: 'getCatalogue',
    summary: 'What this version can test and measure: kinds, measurements, tools, metrics with units',
    tag: 'catalogue',
    answers: [{ status: 200, description: 'The catalogue', schema: Catalogue }],
  })
  get(): ReturnType<typeof catalogue> {
    return this.made;
  }
}
