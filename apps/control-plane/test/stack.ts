import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations, type PostgresServer, type RedisServer, startPostgres, startRedis } from '@plumbline/embedded';
import { runProcess } from '@plumbline/process';
import { inject } from 'vitest';
import type { BackRooms } from '../src/app.module.js';
import { type ControlPlaneOptions, type RunningControlPlane, startControlPlane } from '../src/index.js';
import type { Answer } from './answer.js';
import { Contract } from './contract.js';

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is, with Content-Type: application/json unless headers say otherwise. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** null: none. Default: the admin's. */
  readonly token?: string | null;
  readonly timeoutMs?: number;
}

/** Postgres, Redis and migrations of their own, and a control plane on a free port. */
export interface Stack {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly controlPlane: RunningControlPlane;
  readonly url: string;
  readonly token: string;
  /** One request. @throws {Error} when the answer is not as the OpenAPI document says */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Another control plane over the same servers and folder. */
  another(options?: Partial<ControlPlaneOptions>): Promise<RunningControlPlane>;
  stop(): Promise<void>;
}

/** The servers alone, without a row in the database, for tests that start the control plane in their own way. */
export interface Servers {
  readonly dir: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
  // With its owner, who is not root. Ends within the time.
  const { exitCode } = await runProcess({
    argv: ['cp', '-a', inject('emptyDatabase'), join(dir, 'postgres')],
    timeoutMs: 30_000,
  });
  if (exitCode !== 0) throw new Error(`the empty database cannot be copied to ${dir}`);
  const [postgres, redis] = await Promise.all([startPostgres({ dir }), startRedis({ dir })]);
  await applyMigrations({ databaseUrl: postgres.url });
  return {
    dir,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    postgres,
    redis,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** @param back other rooms behind the seams; default: the real ones */
export async function startStack(
  options: { back?: BackRooms; start?: Partial<ControlPlaneOptions> } = {},
): Promise<Stack> {
  const servers = await startServers();
  const start = (more: Partial<ControlPlaneOptions> = {}) =>
    startControlPlane(
      {
        databaseUrl: servers.databaseUrl,
        redisUrl: servers.redisUrl,
        dataDir: servers.dir,
        host: '127.0.0.1',
        port: 0,
        logLevel: 'error',
        ...options.start,
        ...more,
      },
      options.back,
    );
  const controlPlane = await start().catch(async (error: unknown) => {
    await servers.stop();
    throw error;
  });
  const token = readFileSync(join(servers.dir, 'admin.token'), 'utf8').trim();
  const contract = new Contract((await callApi(controlPlane.url, token, 'GET', '/openapi.json')).body);
  const others: RunningControlPlane[] = [];
  return {
    dataDir: servers.dir,
    databaseUrl: servers.databaseUrl,
    redisUrl: servers.redisUrl,
    postgres: servers.postgres,
    redis: servers.redis,
    controlPlane,
    url: controlPlane.url,
    token,
    call: async (method, path, call) => {
      const answer = await callApi(controlPlane.url, token, method, path, call);
      contract.check(method, path, answer);
      return answer;
    },
    another: async (more) => {
      const other = await start(more);
      others.push(other);
      return other;
    },
    async stop() {
      await Promise.all([controlPlane, ...others].map((running) => running.stop()));
      await servers.stop();
    },
  };
}

/** One request. It ends by itself after `timeoutMs` (20 s). */
export async function callApi(
  url: string,
  adminToken: string,
  method: string,
  path: string,
  { body, rawBody, headers, token, timeoutMs = 20_000 }: CallOptions = {},
): Promise<Answer> {
  const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token ?? adminToken}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
}
