import { Body, Controller, Param, Req, Res } from '@nestjs/common';
import { Artifact, Reparse } from '@plumbline/model';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { lookup } from '../http/lookups.js';
import { Route } from '../http/route.js';
import { LARGEST_INT4, wholeNumber } from '../http/whole-number.js';
import { Artifacts, type AttemptRef, type OpenArtifact } from './artifacts.js';
import { RunId } from './runs.controller.js';

const index = (noun: string) => lookup(wholeNumber(LARGEST_INT4), noun);
const [LegIndex, StepIndex, AttemptIndex] = [index('leg'), index('step'), index('attempt')];
const ArtifactName = lookup(z.string().min(1).max(200), 'artifact');
const ArtifactList = z.object({ items: z.array(Artifact) }).meta({ id: 'ArtifactList' });
const ReparseInput = z
  .strictObject({
    store: z.boolean().default(false).meta({ description: 'Change the record to the new reading' }),
  })
  .meta({ id: 'ReparseInput' });
type ReparseInput = z.output<typeof ReparseInput>;
const ATTEMPT = '/v1/runs/:id/legs/:leg/steps/:step/attempts/:attempt';
const tag = 'artifacts';
const bytes = {
  status: 200,
  description: 'The bytes as they were printed',
  mediaType: 'application/octet-stream',
  headers: { ETag: 'SHA-256 of the bytes', 'Content-Length': 'Their number' },
} as const;

@Controller()
export class ArtifactsController {
  constructor(private readonly artifacts: Artifacts) {}

  @Route('GET', `${ATTEMPT}/artifacts`, {
    operationId: 'listArtifacts',
    summary: 'What the programs of an attempt left',
    tag,
    answers: [{ status: 200, description: 'All of them', schema: ArtifactList }],
    problems: ['not-found'],
  })
  async list(
    @Param('id', { schema: RunId }) run: string,
    @Param('leg', { schema: LegIndex }) leg: number,
    @Param('step', { schema: StepIndex }) step: number,
    @Param('attempt', { schema: AttemptIndex }) attempt: number,
  ): Promise<z.output<typeof ArtifactList>> {
    return { items: await this.artifacts.list({ run, leg, step, attempt }) };
  }

  @Route('GET', `${ATTEMPT}/artifacts/:artifact`, {
    operationId: 'getArtifact',
    summary: 'The bytes of an artifact',
    tag,
    answers: [bytes],
    problems: ['not-found'],
  })
  async bytes(
    @Param('id', { schema: RunId }) run: string,
    @Param('leg', { schema: LegIndex }) leg: number,
    @Param('step', { schema: StepIndex }) step: number,
    @Param('attempt', { schema: AttemptIndex }) attempt: number,
    @Param('artifact', { schema: ArtifactName }) name: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const ref: AttemptRef = { run, leg, step, attempt };
    send(await this.artifacts.open(ref, name), request, reply);
  }

  @Route('GET', `${ATTEMPT}/raw`, {
    operationId: 'getRaw',
    summary: "The measuring client's stdout",
    tag,
    answers: [bytes],
    problems: ['not-found'],
  })
  async raw(
    @Param('id', { schema: RunId }) run: string,
    @Param('leg', { schema: LegIndex }) leg: number,
    @Param('step', { schema: StepIndex }) step: number,
    @Param('attempt', { schema: AttemptIndex }) attempt: number,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    send(await this.artifacts.raw({ run, leg, step, attempt }), request, reply);
  }

  @Route('POST', `${ATTEMPT}/reparse`, {
    operationId: 'reparseAttempt',
    summary: "Read an attempt's stored output again, with the parsers of this version",
    description:
      'Shows what the new reading tells otherwise than the record. With store the record becomes the new reading, and the metrics of its step, criteria, states, verdicts and findings follow.',
    tag,
    answers: [{ status: 200, description: 'The record, the new reading, and where they differ', schema: Reparse }],
    problems: ['not-found', 'not-reparsable'],
    bodyExample: { store: false },
  })
  reparse(
    @Param('id', { schema: RunId }) run: string,
    @Param('leg', { schema: LegIndex }) leg: number,
    @Param('step', { schema: StepIndex }) step: number,
    @Param('attempt', { schema: AttemptIndex }) attempt: number,
    @Body({ schema: ReparseInput }) input: ReparseInput,
  ): Promise<Reparse> {
    return this.artifacts.reparse({ run, leg, step, attempt }, input);
  }
}

/** What a tool printed is shown as a download: a browser must not take it for a page of ours. */
function send({ artifact, body }: OpenArtifact, request: FastifyRequest, reply: FastifyReply): void {
  const etag = `"${artifact.sha256}"`;
  reply.headers({
    etag,
    'content-type': artifact.mediaType,
    'content-disposition': `attachment; filename="${artifact.name.replace(/[^A-Za-z0-9._-]/g, '-')}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'private, immutable, max-age=31536000',
  });
  if (matches(request.headers['if-none-match'], etag)) {
    body.destroy();
    void reply.status(304).send();
    return;
  }
  void reply.header('content-length', artifact.sizeBytes).send(body);
}

/** RFC 9110, 13.1.2: weak comparison. */
const matches = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((part) => ['*', etag, `W/${etag}`].includes(part.trim())) ?? false;
