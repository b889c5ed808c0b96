import { fastify } from 'fastify';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { HttpMetrics } from '../health/http-metrics.js';
import { newRequestId } from './request-id.js';
import { logRequests } from './request-log.js';

async function served() {
  const lines: string[] = [];
  const metrics = new HttpMetrics();
  const app = fastify({ genReqId: newRequestId });
  logRequests(app, pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }), metrics);
  app.post('/v1/things/:name', async () => ({ ok: true }));
  return { app, lines, metrics };
}

describe('a request in the log', () => {
  test('has its id, method, path, route, status and time, and no secret of it', async () => {
    const { app, lines } = await served();
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/things/one?token=query-secret',
      headers: { authorization: 'Bearer header-secret', cookie: 'c=cookie-secret' },
      payload: { password: 'body-secret' },
    });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      requestId: answer.headers['x-request-id'],
      method: 'POST',
      path: '/v1/things/one',
      route: '/v1/things/:name',
      status: 200,
      ms: expect.any(Number),
    });
    expect(lines.join()).not.toMatch(/secret/);
  });

  test('that went nowhere is there too, and counts as one route', async () => {
    const { app, lines, metrics } = await served();
    await app.inject('/v1/nothing/1');
    await app.inject('/v1/nothing/2');
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([404, 404]);
    expect(await metrics.registry.metrics()).toContain(
      'plumbline_http_request_duration_seconds_count{method="GET",route="none",status="404"} 2',
    );
  });
});
