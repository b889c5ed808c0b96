import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { problemOf } from './problem-of.js';
import { requestUrn } from './request-id.js';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** Every error of every route ends here. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.log);
  }
}

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): void {
  const { problem, headers, unforeseen } = problemOf(error, requestUrn(request));
  if (unforeseen)
    log.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'unforeseen error');
  if (reply.sent || reply.raw.headersSent) return;
  // A handler that failed may have promised another body.
  for (const name of ['content-length', 'etag', 'content-encoding', 'location']) reply.removeHeader(name);
  void reply.status(problem.status).headers(headers).type(PROBLEM_MEDIA_TYPE).send(JSON.stringify(problem));
}
