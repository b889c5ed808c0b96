import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';
import { badText } from './json-body.js';
import { nounOf } from './lookups.js';
import { fieldErrors, pointerIn, type RequestPart } from './pointers.js';
import { invalid, notThere } from './refusals.js';

const PARTS: Readonly<Record<string, RequestPart>> = { body: 'body', query: 'query', param: 'path' };

/**
 * Reads every parameter that has a schema. Other than Nest's own pipe it never drops a key in silence, and it
 * points at the field.
 */
@Injectable()
export class ValidationPipe implements PipeTransform<unknown, unknown> {
  transform(value: unknown, { schema, type, data }: ArgumentMetadata): unknown {
    const part = PARTS[type];
    if (!(schema instanceof z.ZodType) || !part) return value;
    const under = data === undefined ? [] : [data];
    if (part !== 'body') refuseBadText(value, part, under, nounOf(schema));
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const noun = nounOf(schema);
    if (noun) throw notThere(noun, value);
    throw invalid(fieldErrors(parsed.error.issues, part, under));
  }
}

/** A body was checked when it was parsed; texts of the URL are checked here. */
function refuseBadText(value: unknown, part: RequestPart, under: readonly string[], noun: string | undefined): void {
  const texts = typeof value === 'string' ? [['', value] as const] : Object.entries(value ?? {});
  for (const [key, text] of texts) {
    const why = badText(key) ?? (typeof text === 'string' ? badText(text) : undefined);
    if (why && noun) throw notThere(noun, value);
    if (why) throw invalid([{ detail: why, pointer: pointerIn(part, key === '' ? under : [...under, key]) }]);
  }
}
