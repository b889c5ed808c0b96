import { Controller, Headers, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid } from '../http/refusals.js';
import { Route } from '../http/route.js';
import { LARGEST_INT4, wholeNumber } from '../http/whole-number.js';
import { RunStreams } from './run-streams.js';
import { RunId } from './runs.controller.js';

const Seq = wholeNumber(LARGEST_INT4);
const EventsQuery = z.strictObject({
  after: Seq.optional().meta({ description: 'Only events after this one; Last-Event-ID says the same and wins' }),
});
type EventsQuery = z.output<typeof EventsQuery>;

@Controller()
export class RunEventsController {
  constructor(private readonly streams: RunStreams) {}

  @Route('GET', '/v1/runs/:id/events', {
    operationId: 'streamRunEvents',
    summary: 'What happens in a run, as server-sent events',
    description:
      'The id counts from 1 within the run. Events: run, leg, step, attempt, sample, log; data is JSON with the time in `at`. What was is sent first (samples thinned to one a second and end), then what comes, whole. The stream ends after the event in which the run ends; when a new reading of stored output has changed the record of an ended run, what it made of attempt, step, leg and run follows with `reparsed`, and the stream ends after that. A comment every 15 s says that it lives. Resume with Last-Event-ID.',
    tag: 'runs',
    answers: [
      { status: 200, description: 'The stream', mediaType: 'text/event-stream' },
      { status: 204, description: 'The run has ended and there is nothing after that id: do not connect again' },
    ],
    problems: ['not-found', 'invalid-request'],
    requestHeaders: [{ name: 'Last-Event-ID', description: 'The id of the last event that was seen' }],
  })
  async stream(
    @Param('id', { schema: RunId }) id: string,
    @Query({ schema: EventsQuery }) { after }: EventsQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const left = new AbortController();
    reply.raw.once('close', () => left.abort());
    const stream = await this.streams.open(id, lastSeen(lastEventId) ?? after ?? 0, left.signal);
    if (!stream) {
      void reply.status(204).send();
      return;
    }
    reply.headers({ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    if (request.method === 'HEAD') stream.destroy();
    void reply.send(request.method === 'HEAD' ? '' : stream);
  }
}

function lastSeen(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const parsed = Seq.safeParse(header);
  if (parsed.success) return parsed.data;
  throw invalid([{ detail: 'the id of an event of this run: a whole number', pointer: '#/header/Last-Event-ID' }]);
}
