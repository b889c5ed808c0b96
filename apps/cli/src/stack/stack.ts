import { join } from 'node:path';
import { applyMigrations, startPostgres, startRedis, withDataDir } from '@plumbline/embedded';
import { pinnedFetch } from '../connection/pinned-fetch.js';
import { Failure, sentenceOf } from '../failure.js';
import { checkPortIsFree } from './address.js';
import { untilReady } from './readiness.js';
import { type Supervised, supervise } from './supervised.js';
import { readTlsFiles } from './tls-files.js';

export interface StackOptions {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly behindProxy: boolean;
  /** Servers of somebody else's; absent: our own, under `dataDir`. */
  readonly servers?: { readonly databaseUrl: string; readonly redisUrl: string } | undefined;
}

export interface Stack {
  readonly url: string;
  /** Reaches it whatever name its certificate bears. */
  readonly fetch: typeof fetch;
  readonly dataDir: string;
  readonly tokenFile: string;
  /** Resolves with a sentence when it cannot serve any longer. Never rejects. */
  readonly lost: Promise<string>;
  /** Stops everything in the reverse order of its start. May be called again. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 15_000;

/** What was started, to be stopped in reverse order, whatever happens in between. */
class Started {
  readonly #stops: { what: string; stop: () => Promise<void> }[] = [];
  #stopping: Promise<void> | undefined;

  add(what: string, stop: () => Promise<void>): void {
    this.#stops.push({ what, stop });
  }

  stop(report: (sentence: string) => void): Promise<void> {
    this.#stopping ??= this.#all(report);
    return this.#stopping;
  }

  async #all(report: (sentence: string) => void): Promise<void> {
    // Ends with the list; each stop has its own deadline.
    for (const { what, stop } of this.#stops.reverse())
      await stop().catch((error: unknown) => report(`${what} did not stop in order: ${sentenceOf(error)}`));
  }
}

/**
 * Starts the whole of Plumbline in this process and its children: data folder, Postgres, Redis, migrations, control plane.
 * @param report takes sentences about what happens later (a server that was started again)
 * @param signal when it aborts, nothing new begins; during the start what was started is stopped and AbortError is thrown
 * @throws {Failure} with what to do; nothing is left running then
 */
export async function startStack(
  options: StackOptions,
  report: (sentence: string) => void,
  signal: AbortSignal,
): Promise<Stack> {
  const started = new Started();
  try {
    return await start(options, started, report, signal);
  } catch (error) {
    await started.stop(report);
    throw asFailure(error);
  }
}

async function start(
  options: StackOptions,
  started: Started,
  report: (sentence: string) => void,
  signal: AbortSignal,
): Promise<Stack> {
  const pinned = options.tls === undefined ? fetch : pinnedFetch(await readTlsFiles(options.tls));
  await checkPortIsFree(options.host, options.port);
  const folder = await withDataDir(options.dataDir);
  started.add('The data folder', () => folder.release());
  // Loading it takes a second of one CPU, while the servers start on another.
  const loading = import('@plumbline/control-plane');
  // Awaited below; when something else fails first, this is not what is told.
  loading.catch(() => {});
  const embedded = options.servers ? undefined : await embeddedServers(folder.dir, started, report, signal);
  const servers = embedded ?? options.servers;
  if (servers === undefined) throw new Error("servers are ours or somebody else's");
  signal.throwIfAborted();
  await applyMigrations({ databaseUrl: servers.databaseUrl });
  signal.throwIfAborted();
  const { startControlPlane } = await loading;
  const url = await serveApi(startControlPlane, options, { ...servers, dataDir: folder.dir }, started, signal);
  const missing = await untilReady(url, pinned, { withinMs: READY_WITHIN_MS, signal });
  signal.throwIfAborted();
  if (missing !== undefined)
    throw new Failure(`The control plane did not become ready within ${READY_WITHIN_MS / 1000} s: ${missing}.`, {
      next: `look into ${folder.dir}/log`,
    });
  return {
    url,
    fetch: pinned,
    dataDir: folder.dir,
    tokenFile: join(folder.dir, 'admin.token'),
    lost: embedded?.lost ?? new Promise(() => {}),
    stop: () => started.stop(report),
  };
}

async function serveApi(
  startControlPlane: typeof import('@plumbline/control-plane')['startControlPlane'],
  { host, port, tls, behindProxy }: StackOptions,
  own: { readonly databaseUrl: string; readonly redisUrl: string; readonly dataDir: string },
  started: Started,
  signal: AbortSignal,
): Promise<string> {
  const shared = { ...own, host, port, behindProxy, logLevel: 'warn' as const };
  const controlPlane = await startControlPlane({ ...shared, ...(tls ? { tls } : {}) }).catch((error: unknown) => {
    // Its sentences say what to do: a port that was taken in between, a certificate that cannot be read.
    throw new Failure(sentenceOf(error), { cause: error });
  });
  started.add('The control plane', () => controlPlane.stop());
  // What is stopped before it (the demonstration's probes and lab) takes a while; it must not begin another test meanwhile.
  signal.addEventListener('abort', () => controlPlane.drain(), { once: true });
  return controlPlane.url;
}

interface EmbeddedServers {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly lost: Promise<string>;
}

async function embeddedServers(
  dir: string,
  started: Started,
  report: (sentence: string) => void,
  signal: AbortSignal,
): Promise<EmbeddedServers> {
  const keep = async (what: string, starting: Promise<Supervised>): Promise<Supervised> => {
    const server = await starting;
    started.add(what, () => server.stop());
    return server;
  };
  // Both at once; when one fails the other is still waited for, so that it can be stopped.
  const both = await Promise.allSettled([
    keep(
      'Postgres',
      supervise(() => startPostgres({ dir }), report),
    ),
    keep(
      'Redis',
      supervise(() => startRedis({ dir }), report),
    ),
  ]);
  signal.throwIfAborted();
  const [postgres, redis] = both.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  if (postgres === undefined || redis === undefined) throw new Error('two servers were started');
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    lost: Promise.race([postgres.lost, redis.lost]),
  };
}

/** Sentences of libs/embedded say themselves what to do. */
function asFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'EmbeddedError'
    ? new Failure(error.message, { cause: error })
    : error;
}
