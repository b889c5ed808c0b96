import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type RunningProcess, startProcess } from '@plumbline/process';
import { z } from 'zod';

/** The command as a user has it after the build. */
export const PLUMB = fileURLToPath(new URL('../../../node_modules/.bin/plumb', import.meta.url));

/** A TCP port that was free on loopback a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** An answer as it came: tests look at status, headers and body as another program would. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
  text: string;
}

/** A product that somebody started: what its users can do with it. */
export interface JoinedProduct {
  readonly url: string;
  readonly dataDir: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Puts, posts or gets and expects a 2xx. @throws {Error} with the whole answer otherwise */
  must(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Posts a run and waits for its end. @throws {Error} when it has not ended after `forMs` */
  run(request: unknown, forMs: number): Promise<RunDocument>;
}

/** A product of one's own. */
export interface Product extends JoinedProduct {
  readonly process: RunningProcess;
  stop(): Promise<void>;
}

const metric = z.looseObject({
  name: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  labels: z.record(z.string(), z.string()).optional(),
  reason: z.string().optional(),
});
const ending = { outcome: z.string().nullable(), reason: z.string().optional(), detail: z.string().optional() };
/** As much of the run document as tests read, in PRODUCT.md's words. */
export const RunDocument = z.looseObject({
  id: z.string(),
  state: z.string(),
  verdict: z.string(),
  legs: z.array(
    z.looseObject({
      path: z.string(),
      state: z.string(),
      steps: z.array(
        z.looseObject({
          kind: z.string(),
          state: z.string(),
          metrics: z.array(metric),
          attempts: z.array(z.looseObject({ n: z.number(), repeat: z.number(), metrics: z.array(metric), ...ending })),
        }),
      ),
    }),
  ),
});
export type RunDocument = z.output<typeof RunDocument>;

/** The value of a step's metric. @throws {Error} when it is missing or null: a test must not go on with nothing */
export function metricValue(run: RunDocument, step: number, name: string, leg = 0): number {
  const found = run.legs[leg]?.steps[step]?.metrics.find((m) => m.name === name);
  if (typeof found?.value !== 'number')
    throw new Error(`no ${name} in step ${step}: ${JSON.stringify(run.legs[leg]?.steps[step], null, 1)}`);
  return found.value;
}

/**
 * Starts `plumb up --no-demo` as a process of its own and waits for /readyz.
 * @throws {Error} with what it printed when it is not ready within 30 s
 */
export async function startProduct(
  options: { dataDir?: string; port?: number; env?: Record<string, string> } = {},
): Promise<Product> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'plumb-'));
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  let printed = '';
  const keep = (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-20_000);
  };
  const child = startProcess({
    argv: [PLUMB, 'up', '--data-dir', dataDir, '--port', String(port), '--no-demo'],
    env: { PATH: process.env.PATH ?? '', ...options.env },
    onStdout: keep,
    onStderr: keep,
  });
  let ended = false;
  void child.result.then(() => {
    ended = true;
  });
  await until(
    async () => {
      if (ended) throw new Error(`plumb up ended:\n${printed}`);
      return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok ?? false;
    },
    30_000,
    () => `plumb up is not ready:\n${printed}`,
  ).catch(async (error: unknown) => {
    await child.stop(10_000);
    throw error;
  });
  const token = readFileSync(join(dataDir, 'admin.token'), 'utf8').trim();
  return {
    ...callsOf({ url, dataDir, token }),
    process: child,
    async stop() {
      await child.stop(10_000);
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** A product that runs already. */
export function callsOf(at: { url: string; dataDir: string; token: string }): JoinedProduct {
  const call = caller(at.url, at.token);
  const must = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  return { ...at, call, must, run: (request, forMs) => runToEnd(must, request, forMs) };
}

function caller(url: string, token: string): Product['call'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const json = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : text };
  };
}

async function runToEnd(must: Product['must'], request: unknown, forMs: number): Promise<RunDocument> {
  const { id } = z.looseObject({ id: z.string() }).parse(await must('POST', '/v1/runs', request));
  let run: RunDocument | undefined;
  await until(
    async () => {
      run = RunDocument.parse(await must('GET', `/v1/runs/${id}`));
      return !['queued', 'running'].includes(run.state);
    },
    forMs,
    () => `run ${id} has not ended: ${JSON.stringify(run, null, 1)}`,
  );
  if (!run) throw new Error(`run ${id} was never read`);
  return run;
}

/** Looks every 50 ms until `look` says true. @throws {Error} with `what()` after `forMs` */
export async function until(look: () => Promise<boolean> | boolean, forMs: number, what: () => string): Promise<void> {
  const deadline = performance.now() + forMs;
  // Ends at the deadline.
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(what());
    await sleep(50);
  }
}

export interface LocalProbe {
  readonly name: string;
  readonly process: RunningProcess;
  readonly socket: string;
}

/**
 * Starts `plumb probe` (inside a network namespace when `netns` is given) and registers it with the product.
 * `endpoints` are `NAME=ADDRESS` texts, as on the command line.
 */
export async function startProbe(
  product: JoinedProduct,
  options: { name: string; site: string; endpoints: string[]; netns?: string; dataDir?: string; args?: string[] },
): Promise<LocalProbe> {
  const socket = join(product.dataDir, 'probes', `${options.name}.sock`);
  const enter = options.netns ? (['ip', 'netns', 'exec', options.netns] as const) : ([] as const);
  let printed = '';
  const keep = (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-20_000);
  };
  const [program = PLUMB, ...rest] = [...enter, PLUMB];
  const child = startProcess({
    argv: [
      program,
      ...rest,
      'probe',
      '--name',
      options.name,
      '--site',
      options.site,
      '--listen',
      `unix:${socket}`,
      ...options.endpoints.flatMap((e) => ['--endpoint', e]),
      '--data-dir',
      options.dataDir ?? join(product.dataDir, `probe-${options.name}`),
      ...(options.args ?? []),
    ],
    env: { PATH: process.env.PATH ?? '' },
    onStdout: keep,
    onStderr: keep,
  });
  let ended = false;
  void child.result.then(() => {
    ended = true;
  });
  await until(
    () => {
      if (ended) throw new Error(`plumb probe ended:\n${printed}`);
      return printed.includes('listening');
    },
    15_000,
    () => `plumb probe ${options.name} does not listen:\n${printed}`,
  );
  await product.must('PUT', `/v1/sites/${options.site}`, { timeZone: 'Etc/UTC' });
  if ((await product.call('GET', `/v1/probes/${options.name}`)).status === 404)
    await product.must('POST', '/v1/probes', {
      name: options.name,
      site: options.site,
      address: `unix:${socket}`,
      endpoints: options.endpoints.map((e) => {
        const [name = '', address = ''] = e.split('=');
        return { name, address };
      }),
    });
  return { name: options.name, process: child, socket };
}
