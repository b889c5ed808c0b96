import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { ApiProblem } from './problem.js';
import { type RunEventMessage, type RunEventsOptions, runEvents } from './run-events.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server whose n-th answer is the n-th of the list; the last one again and again. */
async function serve(...answers: Answer[]): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(String(request.headers['last-event-id']));
    answers[Math.min(asked.length, answers.length) - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, asked };
}
const event = (id: number, type: string, data: object) =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const streaming =
  (text: string, end = true): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (end) response.end(text);
    else response.write(text);
  };
const broken =
  (text: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => response.destroy());
  };
const problem =
  (status: number, code: string): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: `https://plumbline.example/errors/${code}`, title: 't', status, detail: 'd' }));
  };

async function collect(url: string, options: RunEventsOptions = {}): Promise<RunEventMessage[]> {
  const heard: RunEventMessage[] = [];
  for await (const message of runEvents(url, 'token', 'run', { retryMs: 5, ...options })) heard.push(message);
  return heard;
}

describe('the events of a run', () => {
  test('end with the run, also when the connection stays open', async () => {
    const { url } = await serve(
      streaming(event(1, 'run', { state: 'running' }) + event(2, 'run', { state: 'failed' }), false),
    );
    expect(await collect(url)).toEqual([
      { id: 1, event: 'run', data: { state: 'running' } },
      { id: 2, event: 'run', data: { state: 'failed' } },
    ]);
  });

  test('go on after the last one when the connection breaks, without doubles', async () => {
    const { url, asked } = await serve(
      broken(event(4, 'step', {}) + event(5, 'step', {})),
      streaming(event(5, 'step', {}) + event(6, 'leg', { state: 'succeeded' })),
      streaming(event(7, 'run', { state: 'succeeded' })),
    );
    expect((await collect(url, { after: 3 })).map((m) => m.id)).toEqual([4, 5, 6, 7]);
    expect(asked).toEqual(['3', '5', '6']);
  });

  test('are none when nothing comes any more', async () => {
    const { url } = await serve((response) => response.writeHead(204).end());
    expect(await collect(url, { after: 9 })).toEqual([]);
  });

  test('a refusal is thrown, an unready server is asked again', async () => {
    const { url } = await serve(problem(503, 'database-unavailable'), problem(404, 'not-found'));
    const thrown = await collect(url).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiProblem);
    expect(thrown).toMatchObject({ code: 'not-found', status: 404, message: 'd' });
  });

  test('silence is a broken connection', async () => {
    const { url, asked } = await serve(
      streaming(event(1, 'step', {}), false),
      streaming(event(2, 'run', { state: 'cancelled' })),
    );
    expect((await collect(url, { silenceMs: 800 })).map((m) => m.id)).toEqual([1, 2]);
    expect(asked).toEqual(['0', '1']);
  });

  test('a server that stays away is given up', async () => {
    const { url } = await serve();
    server?.close();
    server?.closeAllConnections();
    await expect(collect(url, { giveUpMs: 60 })).rejects.toThrow(/The events of run run stopped/);
  });

  test('the caller may leave at any time', async () => {
    const { url } = await serve(streaming(event(1, 'step', {}), false));
    const leaving = new AbortController();
    const heard = collect(url, { signal: leaving.signal }).catch((error: unknown) => error);
    setTimeout(() => leaving.abort(new Error('enough')), 40);
    expect(await heard).toMatchObject({ message: 'enough' });
    for await (const { id } of runEvents(url, 'token', 'run')) {
      expect(id).toBe(1);
      break;
    }
  });
});
