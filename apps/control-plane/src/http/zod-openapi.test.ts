import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { schemaBook } from './zod-openapi.js';

const Leaf = z.strictObject({ n: z.int().default(1) }).meta({ id: 'BookLeaf' });
const A = z.strictObject({ kind: z.literal('a'), leaf: Leaf }).meta({ id: 'BookA' });
const B = z.strictObject({ kind: z.literal('b') }).meta({ id: 'BookB' });
const Either = z.discriminatedUnion('kind', [A, B]).meta({ id: 'BookEither' });
const ThingInput = z.strictObject({ either: Either, when: z.iso.datetime().nullable() }).meta({ id: 'BookThingInput' });
z.object({ ...ThingInput.shape, name: z.string() }).meta({ id: 'BookThing' });

describe('the book of schemas', () => {
  const book = schemaBook();
  const sent = book.convert(ThingInput, 'input');
  const received = book.convert(z.array(ThingInput), 'output');

  test('names what is sent and what is received apart where defaults make them differ', () => {
    expect(sent).toEqual({ $ref: '#/components/schemas/BookThingInput' });
    expect(received).toEqual({ type: 'array', items: { $ref: '#/components/schemas/BookThingOutput' } });
    const components = book.componentsOf([sent, received]);
    expect(Object.keys(components)).toEqual([
      'BookA',
      'BookAInput',
      'BookB',
      'BookEither',
      'BookEitherInput',
      'BookLeaf',
      'BookLeafInput',
      'BookThingInput',
      'BookThingOutput',
    ]);
    expect(components.BookLeafInput).not.toHaveProperty('required');
    expect(components.BookLeaf).toMatchObject({ required: ['n'] });
  });

  test('has only what the document refers to, and that whole', () => {
    expect(Object.keys(book.componentsOf({ $ref: '#/components/schemas/BookB' }))).toEqual(['BookB']);
    expect(book.componentsOf({})).toEqual({});
  });

  test('gives a union its discriminator, with a name for each value', () => {
    expect(book.componentsOf(sent).BookEitherInput).toMatchObject({
      discriminator: {
        propertyName: 'kind',
        mapping: { a: '#/components/schemas/BookAInput', b: '#/components/schemas/BookB' },
      },
    });
  });

  test('is 3.1: null is a type, and answers may grow', () => {
    const { BookThingInput } = book.componentsOf(sent);
    expect(JSON.stringify(BookThingInput)).toMatch(/"type":"null"/);
    expect(JSON.stringify(BookThingInput)).not.toMatch(/nullable/);
    expect(BookThingInput).toHaveProperty('additionalProperties', false);
    expect(book.convert(z.object({ a: z.string() }), 'output')).not.toHaveProperty('additionalProperties');
  });
});
