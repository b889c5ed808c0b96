import { Controller, Res } from '@nestjs/common';
import { ProblemError, VERSION } from '@plumbline/model';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ApiDocument } from '../http/openapi-document.js';
import { RETRY } from '../http/problem-of.js';
import { Route } from '../http/route.js';
import { Readiness } from './readiness.js';
import { StateMetrics } from './state-metrics.js';

const Health = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });
type Health = z.output<typeof Health>;
const OpenApi = z.looseObject({ openapi: z.string() });
const tag = 'health';

@Controller()
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly metrics: StateMetrics,
    private readonly document: ApiDocument,
  ) {}

  @Route('GET', '/healthz', {
    operationId: 'getHealth',
    summary: 'Whether this process lives',
    tag,
    answers: [{ status: 200, description: 'It does', schema: Health }],
  })
  health(): Health {
    return { status: 'ok', version: VERSION };
  }

  @Route('GET', '/readyz', {
    operationId: 'getReadiness',
    summary: 'Whether Postgres, its migrations and Redis are there',
    tag,
    answers: [{ status: 200, description: 'All are', schema: Health }],
    problems: ['not-ready'],
  })
  async ready(): Promise<Health> {
    const missing = Object.entries(await this.readiness.missing());
    if (missing.length === 0) return { status: 'ok', version: VERSION };
    const errors = missing.map(([what, detail]) => ({ detail, pointer: `#/${what}` }));
    throw new ProblemError('not-ready', `Missing: ${missing.map(([what]) => what).join(', ')}.`, errors, RETRY);
  }

  @Route('GET', '/metrics', {
    operationId: 'getMetrics',
    summary: 'Prometheus metrics of this process and of the installation',
    tag,
    answers: [{ status: 200, description: 'Text format 0.0.4', mediaType: 'text/plain' }],
  })
  async prometheus(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return this.metrics.render();
  }

  @Route('GET', '/openapi.json', {
    operationId: 'getOpenApi',
    summary: 'This document',
    tag,
    answers: [{ status: 200, description: 'OpenAPI 3.1', schema: OpenApi }],
  })
  openApi(@Res({ passthrough: true }) reply: FastifyReply): string {
    reply.type('application/json; charset=utf-8');
    return this.document.text;
  }
}
