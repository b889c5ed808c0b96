import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { VERSION } from '@plumbline/model';
import { z } from 'zod';
import { BODY_EXAMPLES } from './route.js';
import { schemaBook } from './zod-openapi.js';

const DESCRIPTION = `Validates network paths: what one flow gets, what holds it back, whether a change helped.
Lists are pages: pageSize (at most 200) and pageToken; nextPageToken is absent on the last page. Errors are problem
details (RFC 9457); their types and what to do are in docs/errors.md. Times are RFC 3339 in UTC. Numbers carry their unit
in the name; Bps is bit/s, ratios are 0 to 1.`;

/** What the app serves, as OpenAPI 3.1: read from the routes' own schemas, so that it cannot say anything else. */
export function describeApi(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Plumbline')
    .setDescription(DESCRIPTION)
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0')
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'opaque', description: 'plb_... with the scope of the route' },
      'accessToken',
    )
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'opaque', description: 'plbe_..., good once' },
      'enrolmentToken',
    )
    .build();
  const book = schemaBook();
  const document = SwaggerModule.createDocument(app, config, {
    autoTagControllers: false,
    standardSchemaConverter: (schema, { schemaType }) =>
      schema instanceof z.ZodType ? { schema: book.convert(schema, schemaType) } : undefined,
  });
  for (const item of Object.values(document.paths)) addExamples(item);
  return { ...document, components: { ...document.components, schemas: book.componentsOf(document.paths) } };
}

function addExamples({ post, put, patch }: OpenAPIObject['paths'][string]): void {
  for (const operation of [post, put, patch]) {
    const value = BODY_EXAMPLES.get(operation?.operationId ?? '');
    const body = operation?.requestBody;
    const content = body && 'content' in body ? body.content['application/json'] : undefined;
    if (content && value !== undefined) content.examples = { example: { value } };
  }
}

/** Holds the document of the running app for GET /openapi.json. */
@Injectable()
export class ApiDocument {
  text = '{}';
}
