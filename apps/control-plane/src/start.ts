import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import type { BackRooms } from './app.module.js';
import { backRooms } from './back-rooms.js';
import { makeDataFolder } from './data-folder.js';
import { Closing } from './http/closing.js';
import { makeLog } from './logging.js';
import { Execution } from './persistence/seams.js';
import { localProbesFolder } from './probes/socket-address.js';
import { type ControlPlaneOptions, optionsFrom, StartSettings } from './settings.js';

/** Requests under way get this long to end by themselves; then their connections are closed. */
const DRAIN_MS = 2_500;
const IDLE_LOOK_MS = 20;
/** Whatever still hangs then is left behind: the process is about to end. */
const STOP_MS = 4_800;

export interface RunningControlPlane {
  readonly url: string;
  readonly port: number;
  /** The first thing at a signal: what runs goes on, nothing new begins. Costs no time; `stop` does it too. */
  drain(): void;
  /** Ends streams, gives up the legs that it walks, and closes everything, within 5 s. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane on a database whose migrations were applied. It starts too when Postgres or Redis is away;
 * GET /readyz says what is missing.
 * @throws {Error} with a sentence: a host that would show tokens, a port that is taken, a file that cannot be read
 */
export async function startControlPlane(
  options: ControlPlaneOptions,
  back: BackRooms = backRooms,
): Promise<RunningControlPlane> {
  const settings = new StartSettings(options);
  const log = makeLog(settings.logLevel);
  for (const folder of [settings.dataDir, localProbesFolder(settings.dataDir)]) makeDataFolder(folder);
  const app = await createApp(settings, log, back);
  try {
    await app.listen(settings.port, settings.host);
  } catch (error) {
    await app.close().catch(() => undefined);
    throw listenError(error, settings);
  }
  const server: Server = app.getHttpServer();
  const { port } = addressOf(server);
  const url = `${settings.tls ? 'https' : 'http'}://${urlHost(settings.host)}:${port}`;
  log.info({ url, replica: settings.replica }, 'control plane listens');
  let stopped: Promise<void> | undefined;
  return {
    url,
    port,
    drain: () => app.get(Execution).drain(),
    stop: () => {
      stopped ??= stop(app, server, log);
      return stopped;
    },
  };
}

/**
 * The control plane as a program: settings from the environment, ended by SIGTERM or SIGINT.
 * @returns when it has stopped
 */
export async function main(environment: Readonly<Record<string, string | undefined>> = process.env): Promise<void> {
  const running = await startControlPlane(optionsFrom(environment));
  // Ends with the first signal.
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  await running.stop();
}

async function stop(app: NestFastifyApplication, server: Server, log: Logger): Promise<void> {
  app.get(Execution).drain();
  app.get(Closing).begin();
  // A stream that ends now leaves a connection that would be kept open for the next request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  const drain = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  let tooLong: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    tooLong = setTimeout(() => resolve('late'), STOP_MS);
  });
  // Ends when everything is closed, or at STOP_MS.
  const ended = await Promise.race([app.close(), late]);
  clearInterval(idle);
  clearTimeout(drain);
  clearTimeout(tooLong);
  if (ended === 'late') log.warn('something did not stop in time and was left behind');
  else log.info('control plane stopped');
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
  return address;
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function listenError(error: unknown, { host, port }: StartSettings): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is taken by another program. Stop it, or name another port.`);
  if (code === 'EADDRNOTAVAIL') return new Error(`This machine has no address ${host} to serve on.`);
  if (code === 'EACCES') return new Error(`Port ${port} needs more rights than this user has; take one above 1023.`);
  return error;
}
