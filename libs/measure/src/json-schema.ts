import { z } from 'zod';

/**
 * JSON Schema 2020-12 of what may be sent (defaults are optional). zod puts a schema that has an id under `$defs`, and a
 * reference at the root; here the root is the schema itself.
 */
export function jsonSchemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema, $ref, $defs, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  const id = $ref?.replace('#/$defs/', '');
  if (id === undefined || !$defs?.[id]) return { $schema, ...rest, ...($defs ? { $defs } : {}) };
  const { [id]: root, ...others } = $defs;
  return { $schema, ...root, ...(Object.keys(others).length > 0 ? { $defs: others } : {}) };
}
