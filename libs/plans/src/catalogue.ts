import { jsonSchemaOf, type Sharing } from '@plumbline/measure';
import { Criterion } from './criterion.js';
import { kinds } from './kinds/list.js';

/** A kind of test for GET /v1/catalogue. `schema` is JSON Schema 2020-12 of what a plan may say (defaults are optional). */
export interface KindEntry {
  readonly kind: string;
  readonly title: string;
  readonly description: string;
  readonly sharing: Sharing;
  readonly metrics: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
}

export const kindCatalogue = (): readonly KindEntry[] =>
  kinds.map(({ kind, title, description, sharing, metrics, test }) => ({
    kind,
    title,
    description,
    sharing,
    metrics,
    schema: jsonSchemaOf(test),
  }));

export const criterionSchema = (): Readonly<Record<string, unknown>> => jsonSchemaOf(Criterion);
