import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describePreview } from './app.js';

let document: Awaited<ReturnType<typeof describePreview>>;
let text: string;
beforeAll(async () => {
  document = await describePreview();
  text = JSON.stringify(document);
});

describe('the OpenAPI document', () => {
  test('is 3.1, and every reference of it leads somewhere', () => {
    expect(document.openapi).toBe('3.1.0');
    const known = new Set(Object.keys(document.components?.schemas ?? {}).map((id) => `#/components/schemas/${id}`));
    const used = [...text.matchAll(/"#\/components\/schemas\/[^"]+"/g)].map(([ref]) => ref.slice(1, -1));
    expect(used.filter((ref) => !known.has(ref))).toEqual([]);
    expect([...known].filter((ref) => !used.includes(ref))).toEqual([]);
    expect(text).not.toMatch(/"nullable"/);
  });

  test('names every operation once, with a summary and security', () => {
    const operations = Object.values(document.paths)
      .flatMap((item) => [item.get, item.put, item.post, item.patch, item.delete])
      .filter((o) => o !== undefined);
    const ids = operations.map((o) => o.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.filter((o) => !o.summary || !o.security)).toEqual([]);
  });

  test('tells the kinds of a test apart by kind', () => {
    expect(document.components?.schemas?.TestInput).toMatchObject({
      discriminator: {
        propertyName: 'kind',
        mapping: { rtt: '#/components/schemas/RttTestInput', 'single-stream': expect.any(String) },
      },
    });
  });

  test('has examples that its own schemas take', () => {
    const definitions = JSON.parse(
      JSON.stringify(document.components?.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
    );
    let examples = 0;
    for (const item of Object.values(document.paths))
      for (const operation of [item.put, item.post, item.patch]) {
        const body =
          operation?.requestBody && 'content' in operation.requestBody
            ? operation.requestBody.content['application/json']
            : undefined;
        const example = body?.examples?.example;
        if (!example || !('value' in example)) continue;
        const schema = JSON.parse(JSON.stringify(body.schema).replaceAll('#/components/schemas/', '#/$defs/'));
        expect(z.fromJSONSchema({ ...schema, $defs: definitions }).safeParse(example.value).error).toBeUndefined();
        examples++;
      }
    expect(examples).toBeGreaterThanOrEqual(5);
  });
});
