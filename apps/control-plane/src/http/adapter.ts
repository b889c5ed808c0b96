import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { PROBLEM_BASE, PROBLEMS, ProblemError } from '@plumbline/model';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { StartSettings } from '../settings.js';
import { LARGEST_BODY_BYTES, parseJsonBody } from './json-body.js';
import { PROBLEM_MEDIA_TYPE, sendProblem } from './problem-filter.js';
import { newRequestId } from './request-id.js';

/** How long a client may take to send a request, whole. */
const REQUEST_MS = 20_000;
const KEEP_ALIVE_MS = 5_000;

/** Fastify for Nest, with errors left as they are: the problem filter reads Fastify's codes itself. */
class PlumblineAdapter extends FastifyAdapter {
  override mapException(error: unknown): unknown {
    return error;
  }
}

/** @throws {Error} with a sentence when the certificate or key cannot be read */
export function makeAdapter(settings: StartSettings, log: Logger): PlumblineAdapter {
  const options = {
    ...(settings.tls ? { https: tlsOptions(settings.tls) } : {}),
    bodyLimit: LARGEST_BODY_BYTES,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: settings.behindProxy,
    genReqId: newRequestId,
    forceCloseConnections: 'idle' as const,
    // While we stop, what still comes on an open connection is answered; then it is closed.
    return503OnClosing: false,
    skipMiddie: true,
    // A name that is too long gets its answer from the schema, with a pointer.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (
      error: unknown,
      request: Parameters<typeof sendProblem>[1],
      reply: Parameters<typeof sendProblem>[2],
    ) => sendProblem(error, request, reply, log),
    clientErrorHandler: answerUnreadable,
  };
  return new PlumblineAdapter(options);
}

/** Bodies are JSON; nothing else has a parser, so that anything else is 415. */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer', bodyLimit: LARGEST_BODY_BYTES },
    async (request: FastifyRequest, body: Buffer | string) => {
      refuseCharset(request.headers['content-type'] ?? '');
      return parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body);
    },
  );
}

/** JSON between systems is UTF-8 (RFC 8259, 8.1); what says that it is something else would be read wrongly. */
function refuseCharset(contentType: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw new ProblemError('unsupported-media-type', 'JSON is UTF-8; send it so.');
}

function tlsOptions({ certFile, keyFile }: { certFile: string; keyFile: string }) {
  const read = (what: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new Error(`The TLS ${what} ${file} cannot be read: ${error instanceof Error ? error.message : error}.`);
    }
  };
  return { cert: read('certificate', certFile), key: read('key', keyFile), minVersion: 'TLSv1.2' as const };
}

/** What is not HTTP at all, or came too slowly or too large, never becomes a request: it is answered on the bare socket. */
function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const { title } = PROBLEMS['malformed-request'];
  const body = JSON.stringify({
    type: `${PROBLEM_BASE}malformed-request`,
    title,
    status,
    detail: STATUS_CODES[status],
  });
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  socket.destroySoon();
}
