import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProcess } from '@plumbline/process';
import pg from 'pg';
import { z } from 'zod';
import { EmbeddedError, reasonOf } from './fault.js';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
/** Ours alone; Prisma's own lock is 72707369. */
const ADVISORY_LOCK = 4_710_218_001;
const CONNECT_MS = 10_000;
const LOCK_LONGEST_MS = 120_000;
const PRISMA_LONGEST_MS = 120_000;

const Row = z.object({
  migration_name: z.string(),
  checksum: z.string(),
  finished_at: z.date().nullable(),
  rolled_back_at: z.date().nullable(),
});

/**
 * Brings the database up to this version's migrations. Asks the table that Prisma keeps, and starts Prisma (1 s) only
 * when something is pending. Several processes may do it at once: one migrates, the others wait (advisory lock).
 * @returns the migrations that were applied now
 * @throws EmbeddedError database-unreachable, database-newer, migration-failed
 */
export async function applyMigrations({
  databaseUrl,
  workspace = WORKSPACE,
}: {
  databaseUrl: string;
  workspace?: string;
}): Promise<{ applied: string[] }> {
  const ours = readMigrations(join(workspace, 'prisma', 'migrations'));
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'plumbline migrations',
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new EmbeddedError(
      'database-unreachable',
      `The database does not answer (${reasonOf(error)}). Is it running, and is DATABASE_URL right?`,
      { cause: error },
    );
  }
  try {
    if ((await pending(client, ours)).length === 0) return { applied: [] };
    await client.query(`SET lock_timeout = ${LOCK_LONGEST_MS}`);
    await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const todo = await pending(client, ours);
    if (todo.length > 0) await deploy(workspace, databaseUrl);
    return { applied: todo };
  } catch (error) {
    if (error instanceof EmbeddedError) throw error;
    throw new EmbeddedError('migration-failed', `The database could not be brought up to date: ${reasonOf(error)}`, {
      cause: error,
    });
  } finally {
    // Ends the session and with it the lock.
    await client.end().catch(() => {});
  }
}

/** Name to SHA-256 of each migration's SQL, as Prisma's `checksum`. */
function readMigrations(folder: string): Map<string, string> {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'migration.sql')))
    .map((entry) => entry.name)
    .sort();
  return new Map(
    names.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name, 'migration.sql')))
        .digest('hex'),
    ]),
  );
}

async function pending(client: pg.Client, ours: ReadonlyMap<string, string>): Promise<string[]> {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`);
  if (!z.object({ there: z.boolean() }).parse(table.rows[0]).there) return [...ours.keys()];
  const { rows } = await client.query(
    'SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations',
  );
  const standing = z
    .array(Row)
    .parse(rows)
    .filter((row) => row.rolled_back_at === null);
  const unknown = standing.find((row) => !ours.has(row.migration_name));
  if (unknown) {
    throw new EmbeddedError(
      'database-newer',
      `The database holds the migration ${unknown.migration_name}, which this version does not know: a newer Plumbline made it. Run that version, or name another --data-dir.`,
    );
  }
  const changed = standing.find((row) => ours.get(row.migration_name) !== row.checksum);
  if (changed) {
    throw new EmbeddedError(
      'migration-failed',
      `The migration ${changed.migration_name} was changed after this database had it. Restore its file, or name another --data-dir.`,
    );
  }
  const done = new Set(standing.filter((row) => row.finished_at !== null).map((row) => row.migration_name));
  return [...ours.keys()].filter((name) => !done.has(name));
}

async function deploy(workspace: string, databaseUrl: string): Promise<void> {
  const { outcome, exitCode, error, stdout, stderr } = await runProcess({
    argv: [process.execPath, join(workspace, 'tools', 'prisma.mjs'), 'migrate', 'deploy'],
    cwd: workspace,
    env: { DATABASE_URL: databaseUrl },
    timeoutMs: PRISMA_LONGEST_MS,
    maxOutputBytes: 1024 * 1024,
  });
  if (outcome === 'exited' && exitCode === 0) return;
  const said = whatPrismaSaid(`${stdout.toString('utf8')}\n${stderr.toString('utf8')}`);
  throw new EmbeddedError('migration-failed', `Prisma could not migrate the database (${error ?? outcome}): ${said}`);
}

/** From its `Error:` to the engine's back trace, and the name of the migration, which stands only there. */
function whatPrismaSaid(text: string): string {
  const lines = text.slice(Math.max(0, text.indexOf('Error: '))).split('\n');
  const trace = lines.findIndex((line) => /^\s+\d+: /.test(line));
  const said = lines.slice(0, trace === -1 ? 12 : trace).filter((line) => line.trim() !== '');
  const name = /migration_name="([^"]*)"/.exec(text)?.[1];
  return `${name === undefined ? '' : `${name}: `}${said.join(' | ')}`;
}
