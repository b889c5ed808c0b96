import { createServer, type IncomingMessage } from 'node:http';
import { runCli } from '../src/cli.js';
import type { Context } from '../src/context.js';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line inside the test, with what it writes kept. */
export async function plumb(
  argv: readonly string[],
  {
    env = {},
    cwd = '/nonexistent',
    columns,
    stdin = '',
  }: { env?: Context['env']; cwd?: string; columns?: number; stdin?: string } = {},
): Promise<Ran> {
  const written = { out: '', err: '' };
  const terminal = (name: 'out' | 'err'): Context['out'] => ({
    isTty: columns !== undefined,
    colour: false,
    columns: () => columns ?? Number.POSITIVE_INFINITY,
    write: (text) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString('utf8');
    },
  });
  const context = { env, cwd, out: terminal('out'), err: terminal('err'), readStdin: async () => stdin };
  return { code: await runCli(argv, context), ...written };
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}
type Reply = { status?: number; body?: unknown; events?: readonly { event: string; data: unknown }[] };

/** A control plane that answers what it was told to, and remembers what it was asked. */
export async function fakeControlPlane(answer: (asked: Asked) => Reply | undefined): Promise<{
  url: string;
  asked: Asked[];
  close(): Promise<void>;
}> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const one = { ...named(request), body: await bodyOf(request) };
    asked.push(one);
    const { status = 200, body, events } = answer(one) ?? { status: 404, body: {} };
    if (events !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
      const text = events.map((e, i) => `id: ${i + 1}\nevent: ${e.event}\ndata: ${JSON.stringify(e.data)}\n\n`);
      response.end(text.join(''));
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const named = ({ method = '', url = '', headers }: IncomingMessage) => ({
  method,
  path: url,
  authorization: headers.authorization,
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}
