import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { Settings } from './persistence/seams.js';

export const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
export type LogLevel = z.output<typeof LogLevel>;

export interface ControlPlaneOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** D: admin.token, ca/ and probes/ are made in it. */
  readonly dataDir: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Files, PEM. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Something in front ends TLS; only it can reach the port. */
  readonly behindProxy?: boolean;
  readonly logLevel?: LogLevel;
}

/** What was asked for at the start, checked once; nothing else reads options or environment. */
export class StartSettings extends Settings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly replica = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly behindProxy: boolean;
  readonly logLevel: LogLevel;

  /** @throws {Error} with a sentence when the options would let tokens travel unprotected */
  constructor(options: ControlPlaneOptions) {
    super();
    this.databaseUrl = options.databaseUrl;
    this.redisUrl = options.redisUrl;
    this.dataDir = resolve(options.dataDir);
    this.host = options.host;
    this.port = options.port;
    this.tls = options.tls && { certFile: resolve(options.tls.cert), keyFile: resolve(options.tls.key) };
    this.behindProxy = options.behindProxy ?? false;
    this.logLevel = options.logLevel ?? 'info';
    if (!isLoopback(this.host) && !this.tls && !this.behindProxy)
      throw new Error(
        `Serving on ${this.host} would send tokens in the clear. Give a certificate and key (--tls-cert, --tls-key), or say --behind-proxy when a proxy in front of this port ends TLS.`,
      );
  }
}

/** Whether only this machine can reach an address. A name other than localhost may stand for anything. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

const Environment = z.object({
  DATABASE_URL: z.string().min(1),
  REDIS_URL: z.string().min(1),
  PLUMBLINE_DATA_DIR: z.string().min(1).default('.plumbline'),
  PLUMBLINE_HOST: z.string().min(1).default('127.0.0.1'),
  PLUMBLINE_PORT: z.coerce.number().int().min(0).max(65_535).default(7420),
  PLUMBLINE_TLS_CERT: z.string().min(1).optional(),
  PLUMBLINE_TLS_KEY: z.string().min(1).optional(),
  PLUMBLINE_BEHIND_PROXY: z.enum(['true', 'false']).default('false'),
  PLUMBLINE_LOG_LEVEL: LogLevel.default('info'),
});

/** @throws {Error} with a sentence that names the variable */
export function optionsFrom(environment: Readonly<Record<string, string | undefined>>): ControlPlaneOptions {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success)
    throw new Error(
      `The environment is not right: ${parsed.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`).join('; ')}.`,
    );
  const e = parsed.data;
  if ((e.PLUMBLINE_TLS_CERT === undefined) !== (e.PLUMBLINE_TLS_KEY === undefined))
    throw new Error('PLUMBLINE_TLS_CERT and PLUMBLINE_TLS_KEY go together.');
  return {
    databaseUrl: e.DATABASE_URL,
    redisUrl: e.REDIS_URL,
    dataDir: e.PLUMBLINE_DATA_DIR,
    host: e.PLUMBLINE_HOST,
    port: e.PLUMBLINE_PORT,
    ...(e.PLUMBLINE_TLS_CERT && e.PLUMBLINE_TLS_KEY
      ? { tls: { cert: e.PLUMBLINE_TLS_CERT, key: e.PLUMBLINE_TLS_KEY } }
      : {}),
    behindProxy: e.PLUMBLINE_BEHIND_PROXY === 'true',
    logLevel: e.PLUMBLINE_LOG_LEVEL,
  };
}
