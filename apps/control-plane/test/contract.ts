import { z } from 'zod';
import type { Answer } from './stack.js';

const Media = z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() });
const Operation = z.looseObject({
  operationId: z.string(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), Media).optional() })),
});
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

/** Only as much of a JSON Schema as tells the compiler that it is one. */
const JsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0] & object>((value) => typeof value === 'object' && value !== null);

/** The OpenAPI document as a judge: every answer of a test must be one that it promises. */
export class Contract {
  readonly document: z.output<typeof Document>;
  private readonly readers = new Map<string, z.ZodType>();
  private readonly definitions: unknown;

  constructor(document: unknown) {
    this.document = Document.parse(document);
    this.definitions = local(this.document.components.schemas);
  }

  /** Method and path of every operation, as `GET /v1/sites/{name}`. */
  get operations(): string[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** @throws {Error} for a status or a body that the document does not have. Unknown routes and methods are not judged. */
  check(method: string, path: string, answer: Answer): void {
    const operation = this.operation(method, path.split('?', 1)[0] ?? '');
    if (!operation) return;
    const fail = (why: string): never => {
      throw new Error(`${method} ${path}: ${why}\n${answer.status} ${answer.text.slice(0, 2_000)}`);
    };
    const response = operation.responses[String(answer.status)];
    if (!response) return fail(`${operation.operationId} does not promise status ${answer.status}`);
    const type = answer.headers.get('content-type')?.split(';', 1)[0];
    if (!response.content) return answer.text === '' ? undefined : fail('a body where none is promised');
    if (type === undefined || method === 'HEAD') return;
    const media = response.content[type];
    if (!media) return /octet-stream/.test(Object.keys(response.content).join()) ? undefined : fail(`media type ${type}`);
    if (!/json/.test(type) || !media.schema) return;
    const parsed = this.reader(`${operation.operationId} ${answer.status} ${type}`, media.schema).safeParse(answer.body);
    if (!parsed.success) fail(z.prettifyError(parsed.error));
  }

  private operation(method: string, path: string): z.output<typeof Operation> | undefined {
    const parts = path.split('/');
    const found = Object.entries(this.document.paths).find(([template]) => {
      const wanted = template.split('/');
      return wanted.length === parts.length && wanted.every((part, i) => part.startsWith('{') || part === parts[i]);
    });
    return found?.[1][(method === 'HEAD' ? 'GET' : method).toLowerCase()];
  }

  private reader(key: string, schema: Record<string, unknown>): z.ZodType {
    const known = this.readers.get(key);
    if (known) return known;
    const made = z.fromJSONSchema(JsonSchema.parse({ ...JsonSchema.parse(local(schema)), $defs: this.definitions }));
    this.readers.set(key, made);
    return made;
  }
}

/** References into the document, as references into the schema itself. */
const local = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/'));
