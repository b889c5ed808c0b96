import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;
type Io = 'input' | 'output';
const REF = '#/components/schemas/';
const IN_REF = /"#\/components\/schemas\/([^"]+)"/g;

export interface SchemaBook {
  /** The schema as OpenAPI 3.1 has it: a reference when it has an id, else inline. */
  convert(schema: z.ZodType, io: Io): Json;
  /** Every component that the text of a document refers to, and what these refer to. */
  componentsOf(document: unknown): Record<string, Json>;
}

/**
 * Zod to OpenAPI 3.1, whose schemas are JSON Schema 2020-12. Every schema with `.meta({ id })` is a component. Where
 * defaults make what a client sends differ from what it gets, the sent form is `<id>Input` (`<id>Sent` where another schema
 * has that name), or the received one `<id>Output` when the id says Input already.
 */
export function schemaBook(): SchemaBook {
  const plain: Naming = (id) => REF + id;
  const received = registered('output', plain);
  const differing = differingIds(received, registered('input', plain));
  const ids = new Set(Object.keys(received));
  const nameOf =
    (io: Io): Naming =>
    (id) =>
      REF + componentName(id, io, differing, ids);
  const components: Record<string, Json> = {};
  for (const io of ['output', 'input'] as const)
    for (const [id, schema] of Object.entries(registered(io, nameOf(io))))
      components[componentName(id, io, differing, ids)] = schema;
  return {
    convert: (schema, io) => {
      const id = z.globalRegistry.get(schema)?.id;
      return id === undefined ? inline(schema, io, nameOf(io)) : { $ref: nameOf(io)(id) };
    },
    componentsOf: (document) => reachable(document, components),
  };
}

type Naming = (id: string) => string;

function componentName(id: string, io: Io, differing: ReadonlySet<string>, ids: ReadonlySet<string>): string {
  if (!differing.has(id)) return id;
  if (id.endsWith('Input')) return io === 'input' ? id : `${id.slice(0, -'Input'.length)}Output`;
  if (io === 'output') return id;
  return ids.has(`${id}Input`) ? `${id}Sent` : `${id}Input`;
}

function registered(io: Io, uri: Naming): Record<string, Json> {
  const { schemas } = z.toJSONSchema(z.globalRegistry, { io, unrepresentable: 'any', uri, override: shaping(io, uri) });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

/** Ids whose sent form differs from the received one, by itself or by what it refers to. */
function differingIds(received: Record<string, Json>, sent: Record<string, Json>): Set<string> {
  const ids = Object.keys(received);
  const found = new Set(ids.filter((id) => JSON.stringify(received[id]) !== JSON.stringify(sent[id])));
  // Ends: each round adds at least one of finitely many ids, or is the last.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const id of ids) if (references(received[id]).some((other) => found.has(other))) found.add(id);
  }
  return found;
}

function inline(schema: z.ZodType, io: Io, name: Naming): Json {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: shaping(io, name) });
  const text = JSON.stringify(bare(converted), (key, value: unknown) => (key === '$defs' ? undefined : value));
  const parsed: unknown = JSON.parse(
    text.replace(/"#\/\$defs\/([^"]+)"/g, (_, id: string) => JSON.stringify(name(id))),
  );
  return z.record(z.string(), z.unknown()).parse(parsed);
}

/** The discriminator of a union, and answers that may grow: a client must not break on a field that it does not know. */
function shaping(io: Io, uri: Naming) {
  return ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    if (zodSchema instanceof z.ZodDiscriminatedUnion) {
      const { discriminator, options } = zodSchema.def;
      const mapping = options.flatMap((option: unknown) => mapped(option, discriminator, uri));
      jsonSchema.discriminator = { propertyName: discriminator, mapping: Object.fromEntries(mapping) };
    }
    if (io === 'output' && zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined)
      delete jsonSchema.additionalProperties;
    // The format says it; the pattern is long and says no more.
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  };
}

function mapped(option: unknown, discriminator: string, uri: Naming): [string, string][] {
  if (!(option instanceof z.ZodObject)) return [];
  const literal: unknown = option.shape[discriminator];
  const id = z.globalRegistry.get(option)?.id;
  if (!(literal instanceof z.ZodLiteral) || id === undefined) return [];
  return [...literal.values].map((value) => [String(value), uri(id)]);
}

function bare(schema: object): Json {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !['$schema', '$id', 'id'].includes(key)));
}

const references = (schema: unknown): string[] =>
  [...(JSON.stringify(schema) ?? '').matchAll(IN_REF)].flatMap(([, id]) => (id === undefined ? [] : [id]));

function reachable(document: unknown, components: Record<string, Json>): Record<string, Json> {
  const found: Record<string, Json> = {};
  const waiting = references(document);
  // Ends: each component is taken once.
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const schema = components[id];
    if (found[id] || !schema) continue;
    found[id] = schema;
    waiting.push(...references(schema));
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}
