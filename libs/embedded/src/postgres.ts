import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { serverAccount } from './account.js';
import { checkVersion, clearStaleServer, HERE, initialise, readPidFile, SUPERUSER } from './cluster.js';
import { EmbeddedError, reasonOf } from './fault.js';
import { dataFolder, privateFolder } from './folder.js';
import { runnablePostgres } from './native.js';
import { type RunningServer, recoverServer, startServer } from './server.js';
import { reachableFolder } from './socket-path.js';

const PORT = 5432;
const SOCKET = `.s.PGSQL.${PORT}`;
const OWNER = 'app';
/** A fast shutdown ends every session and writes a checkpoint. */
const STOP_MS = 15_000;
const CONNECT_MS = 2000;

export interface PostgresServer extends RunningServer {
  /** `postgresql://app@localhost/<database>?host=<folder of the socket>`: understood by pg, Prisma's adapter and its CLI. */
  readonly url: string;
}

/**
 * A private PostgreSQL 18 whose data lie under `dir/postgres`. It listens on a unix socket in that 0700 folder and on
 * nothing else: unlike a loopback port with a password, no other user of the machine reaches it, there is no secret to
 * keep, and two stacks never want the same port. As root it runs as an unprivileged user, in its own folder, so that
 * the folders above (even /root) keep their modes. It dies with us and recovers from that by its write-ahead log.
 * `database` is made when it is missing; its owner `app` is no superuser but may make databases (Prisma's shadow).
 * @throws EmbeddedError
 */
export async function startPostgres({
  dir,
  database = 'plumbline',
}: {
  dir: string;
  database?: string;
}): Promise<PostgresServer> {
  const root = dataFolder(dir);
  const home = join(root, 'postgres');
  const kept = await recoverServer(root, 'postgres');
  const account = serverAccount(home);
  privateFolder(home, account);
  const programs = await runnablePostgres(account);
  const data = join(home, 'data');
  if (existsSync(join(data, 'PG_VERSION'))) await checkVersion(data, programs, account);
  else await initialise(home, data, programs, account);
  await clearStaleServer(data, SOCKET);
  const { folder, shortcut } = reachableFolder(home, SOCKET, kept);
  const server = await startServer({
    name: 'postgres',
    dir: root,
    cwd: data,
    account,
    lockFile: '../lock',
    argv: [join(programs, 'bin', 'postgres'), '-D', HERE, '-k', '..', '-p', String(PORT), ...settings()],
    shortcut,
    ready: (pid) => answers(folder, data, pid),
    stopSignal: 'SIGINT',
    stopMs: STOP_MS,
  });
  try {
    await ensureDatabase(folder, database);
  } catch (error) {
    await server.stop();
    throw new EmbeddedError('server-not-started', `The database ${database} cannot be made: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  return {
    ...server,
    url: `postgresql://${OWNER}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(folder)}`,
  };
}

function settings(): string[] {
  const options = {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    shared_buffers: '64MB',
    max_connections: '100',
    max_wal_size: '512MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Survives the kill of its owner: nothing that was committed is lost.
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    logging_collector: 'off',
    log_statement: 'none',
    // A failing statement can hold what a user typed; the message alone is kept.
    log_min_error_statement: 'panic',
    jit: 'off',
  };
  return Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

const connection = (folder: string): pg.Client =>
  new pg.Client({
    host: folder,
    port: PORT,
    user: SUPERUSER,
    database: 'postgres',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: 30_000,
  });

async function answers(folder: string, data: string, pid: number): Promise<boolean> {
  const lines = readPidFile(data);
  if (lines?.pid !== pid || lines.status !== 'ready') return false;
  const client = connection(folder);
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    // No socket yet, or still recovering (57P03); a server that ended is told by its own exit.
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

async function ensureDatabase(folder: string, database: string): Promise<void> {
  const client = connection(folder);
  client.on('error', () => {});
  await client.connect();
  try {
    const owner = client.escapeIdentifier(OWNER);
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [OWNER]);
    if (role.rowCount === 0) await client.query(`CREATE ROLE ${owner} LOGIN CREATEDB`);
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)} OWNER ${owner}`);
  } finally {
    await client.end();
  }
}
