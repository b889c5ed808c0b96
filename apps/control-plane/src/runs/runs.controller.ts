import { Body, Controller, Headers, Param, Query, Req, Res } from '@nestjs/common';
import { Advice, Rediagnosis } from '@plumbline/model';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { callerOf } from '../access/gate.js';
import { lookup } from '../http/lookups.js';
import type { Page } from '../http/pages.js';
import { Route } from '../http/route.js';
import { LARGEST_INT4, wholeNumber } from '../http/whole-number.js';
import { Run, RunAccepted, RunInput, RunPage, type RunSummary, RunsQuery } from './run-schemas.js';
import { Runs } from './runs.js';

export const RunId = lookup(z.uuid(), 'run');
const LegIndex = lookup(wholeNumber(LARGEST_INT4), 'leg');
const DiagnosisInput = z
  .strictObject({
    store: z.boolean().default(false).meta({ description: 'Change the record to what the rules of this version say' }),
  })
  .meta({ id: 'DiagnosisInput' });
type DiagnosisInput = z.output<typeof DiagnosisInput>;
const tag = 'runs';

@Controller()
export class RunsController {
  constructor(private readonly runs: Runs) {}

  @Route('POST', '/v1/runs', {
    operationId: 'createRun',
    summary: 'Ask for a run of a plan over paths',
    tag,
    answers: [
      {
        status: 202,
        description: 'It is queued',
        schema: RunAccepted,
        headers: { Location: 'The run document', 'Idempotency-Replayed': 'true when this is the first answer again' },
      },
    ],
    problems: ['idempotency-in-progress', 'idempotency-mismatch'],
    requestHeaders: [
      {
        name: 'Idempotency-Key',
        description:
          'The same key with the same body asks for one run only and gets the first answer again, for 24 hours',
      },
    ],
    bodyExample: { plan: 'nightly', paths: ['ber-par', 'par-ber'], label: 'before the change' },
  })
  async create(
    @Body({ schema: RunInput }) input: RunInput,
    @Headers('idempotency-key') key: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { status, body, headers, replayed } = await this.runs.create(input, key, callerOf(request));
    reply.status(status).headers(headers);
    if (replayed) reply.header('idempotency-replayed', 'true');
    return body;
  }

  @Route('GET', '/v1/runs', {
    operationId: 'listRuns',
    summary: 'Runs, newest first',
    tag,
    answers: [{ status: 200, description: 'A page of runs without their legs', schema: RunPage }],
    problems: ['invalid-request'],
  })
  list(@Query({ schema: RunsQuery }) query: RunsQuery): Promise<Page<RunSummary>> {
    return this.runs.list(query);
  }

  @Route('GET', '/v1/runs/:id', {
    operationId: 'getRun',
    summary: 'The run document: legs, steps, attempts, metrics, findings, criteria',
    tag,
    answers: [{ status: 200, description: 'The run', schema: Run }],
    problems: ['not-found'],
  })
  get(@Param('id', { schema: RunId }) id: string): Promise<Run> {
    return this.runs.get(id);
  }

  @Route('POST', '/v1/runs/:id/cancel', {
    operationId: 'cancelRun',
    summary: 'Stop both ends now',
    description: 'Answered again in the same way for a run that was cancelled already.',
    tag,
    answers: [{ status: 202, description: 'Both ends were told, or could not be reached', schema: RunAccepted }],
    problems: ['not-found', 'conflict'],
  })
  cancel(@Param('id', { schema: RunId }) id: string): Promise<RunAccepted> {
    return this.runs.cancel(id);
  }

  @Route('POST', '/v1/runs/:id/diagnosis', {
    operationId: 'diagnoseRun',
    summary: 'Diagnose an ended run again from its stored facts, by the rules of this version',
    description:
      'Shows which findings are other than the record has them. With store the record becomes the new diagnosis, with the version of its rules.',
    tag,
    answers: [{ status: 200, description: 'What each leg is now diagnosed as, and what changed', schema: Rediagnosis }],
    problems: ['not-found', 'conflict'],
    bodyExample: { store: false },
  })
  diagnose(
    @Param('id', { schema: RunId }) id: string,
    @Body({ schema: DiagnosisInput }) input: DiagnosisInput,
  ): Promise<Rediagnosis> {
    return this.runs.diagnose(id, input);
  }

  @Route('GET', '/v1/runs/:id/legs/:leg/advice', {
    operationId: 'adviseLeg',
    summary: 'What to change at the two ends of the path, from what the leg found',
    description:
      'For each end the file to install, what it costs and how to undo it, with only what must change; and who can act where no setting of the hosts helps.',
    tag,
    answers: [{ status: 200, description: 'The advice', schema: Advice }],
    problems: ['not-found', 'conflict'],
  })
  advice(@Param('id', { schema: RunId }) id: string, @Param('leg', { schema: LegIndex }) leg: number): Promise<Advice> {
    return this.runs.advice(id, leg);
  }
}
