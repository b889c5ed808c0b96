import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { HttpMetrics } from '../health/http-metrics.js';

/** One line and one observation a request: method, route, status, time. No query, no header, no body: tokens travel there. */
export function logRequests(fastify: FastifyInstance, log: Logger, metrics: HttpMetrics): void {
  fastify.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
    reply.header('referrer-policy', 'no-referrer');
    if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000');
  });
  fastify.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const seconds = reply.elapsedTime / 1000;
    metrics.observe(request.method, route, reply.statusCode, seconds);
    const level = route === '/healthz' || route === '/readyz' || route === '/metrics' ? 'debug' : 'info';
    log[level](
      {
        requestId: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });
}
