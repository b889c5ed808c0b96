import { z } from 'zod';
import type { Answer } from './answer.js';

const Media = z.looseObject({ schema: z.record(z.string(), z.unknown()).optional() });
const Operation = z.looseObject({
  operationId: z.string(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), Media).optional() })),
});
type Operation = z.output<typeof Operation>;
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

/** Only as much of a JSON Schema as tells the compiler that it is one. */
const JsonSchema = z.custom<Parameters<typeof z.fromJSONSchema>[0] & object>(
  (value) => typeof value === 'object' && value !== null,
);

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
    const wrong = operation && this.judge(method, operation, answer);
    if (wrong) throw new Error(`${method} ${path}: ${wrong}\n${answer.status} ${answer.text.slice(0, 2_000)}`);
  }

  /** @returns what is wrong with an answer */
  private judge(method: string, operation: Operation, answer: Answer): string | undefined {
    const response = operation.responses[String(answer.status)];
    if (!response) return `${operation.operationId} does not promise status ${answer.status}`;
    const type = answer.headers.get('content-type')?.split(';', 1)[0];
    if (!response.content) return answer.text === '' ? undefined : 'a body where none is promised';
    if (type === undefined || method === 'HEAD') return undefined;
    const media = response.content[type];
    const bytes = Object.keys(response.content).some((one) => one === 'application/octet-stream');
    if (!media) return bytes ? undefined : `the media type ${type} is not promised`;
    if (!/json/.test(type) || !media.schema) return undefined;
    const key = `${operation.operationId} ${answer.status} ${type}`;
    const { error } = this.reader(key, media.schema).safeParse(answer.body);
    return error && z.prettifyError(error);
  }

  private operation(method: string, path: string): Operation | undefined {
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
const local = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/'));
