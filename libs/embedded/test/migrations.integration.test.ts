import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProcess } from '@plumbline/process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyMigrations, type PostgresServer, startPostgres } from '../src/index.js';
import { query, temporary } from './stack.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
let dir: string;
let remove: () => void;
let postgres: PostgresServer;
let databases = 0;

beforeAll(async () => {
  ({ dir, remove } = temporary());
  postgres = await startPostgres({ dir });
});
afterAll(async () => {
  await postgres.stop();
  remove();
});

/** A new, empty database on the same server. */
async function emptyDatabase(): Promise<string> {
  databases += 1;
  await query(postgres.url, `CREATE DATABASE empty_${databases}`);
  return postgres.url.replace('/plumbline?', `/empty_${databases}?`);
}

/** A workspace like ours with migrations of the test's own; each is one file of SQL. */
function workspaceWith(name: string, migrations: Record<string, string>): string {
  const workspace = join(dir, name);
  mkdirSync(join(workspace, 'prisma/migrations'), { recursive: true });
  for (const entry of ['node_modules', 'package.json']) symlinkSync(join(root, entry), join(workspace, entry));
  for (const entry of ['tools', 'prisma.config.ts', 'prisma/schema.prisma', 'prisma/migrations/migration_lock.toml']) {
    cpSync(join(root, entry), join(workspace, entry), { recursive: true });
  }
  for (const [migration, sql] of Object.entries(migrations)) {
    mkdirSync(join(workspace, 'prisma/migrations', migration), { recursive: true });
    writeFileSync(join(workspace, 'prisma/migrations', migration, 'migration.sql'), sql);
  }
  return workspace;
}

const A = { '20260101000000_a': 'CREATE TABLE a (n int);\n' };
// A semicolon inside a function's body: the script must reach Postgres whole.
const B = {
  '20260102000000_b': `CREATE FUNCTION b() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END; $$;\n`,
};

describe("this version's own migrations", () => {
  test('two starts at once on an empty database: one applies them, both succeed, and afterwards nothing is pending', async () => {
    const databaseUrl = await emptyDatabase();
    const both = await Promise.all([applyMigrations({ databaseUrl }), applyMigrations({ databaseUrl })]);
    const names = both.flatMap(({ applied }) => applied);
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(await applyMigrations({ databaseUrl })).toEqual({ applied: [] });
    const rows = await query(
      databaseUrl,
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL',
    );
    expect(rows.map((row) => row.migration_name).sort()).toEqual([...names].sort());
  });

  test('they make exactly what schema.prisma says', async () => {
    const { exitCode, stdout, stderr } = await runProcess({
      argv: [
        process.execPath,
        join(root, 'tools/prisma.mjs'),
        ...['migrate', 'diff', '--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma'],
        '--exit-code',
      ],
      cwd: root,
      env: { DATABASE_URL: await emptyDatabase() },
      timeoutMs: 50_000,
    });
    expect({ exitCode, said: `${stdout}${stderr}` }).toMatchObject({
      exitCode: 0,
      said: expect.stringContaining('No difference detected'),
    });
  });
});

describe('an older database', () => {
  test('gets what is missing, in order, and only that', async () => {
    const databaseUrl = await emptyDatabase();
    const before = workspaceWith('before', A);
    expect(await applyMigrations({ databaseUrl, workspace: before })).toEqual({ applied: Object.keys(A) });
    const after = workspaceWith('after', { ...A, ...B });
    expect(await applyMigrations({ databaseUrl, workspace: after })).toEqual({ applied: Object.keys(B) });
    expect(await query(databaseUrl, 'SELECT b() AS n, (SELECT count(*)::int FROM a) AS rows')).toEqual([
      { n: 2, rows: 0 },
    ]);
    // The other way round: the older version must not touch what the newer one made.
    await expect(applyMigrations({ databaseUrl, workspace: before })).rejects.toMatchObject({
      code: 'database-newer',
      message: expect.stringContaining('20260102000000_b'),
    });
  });

  test('whose migration was edited afterwards is refused', async () => {
    const databaseUrl = await emptyDatabase();
    await applyMigrations({ databaseUrl, workspace: workspaceWith('plain', A) });
    const edited = workspaceWith('edited', { '20260101000000_a': 'CREATE TABLE a (n bigint);\n' });
    await expect(applyMigrations({ databaseUrl, workspace: edited })).rejects.toMatchObject({
      code: 'migration-failed',
      message: expect.stringContaining('was changed after this database had it'),
    });
  });
});

test('a migration that fails is told with its name and what Postgres said', async () => {
  const databaseUrl = await emptyDatabase();
  const workspace = workspaceWith('broken', { '20260103000000_broken': 'SELECT no_such_function();\n' });
  await expect(applyMigrations({ databaseUrl, workspace })).rejects.toMatchObject({
    code: 'migration-failed',
    message: expect.stringMatching(/20260103000000_broken: .*no_such_function\(\) does not exist/),
  });
  // Tried again, Prisma says which migration stands half done (P3009).
  await expect(applyMigrations({ databaseUrl, workspace })).rejects.toMatchObject({
    code: 'migration-failed',
    message: expect.stringMatching(/P3009.*20260103000000_broken/),
  });
});

test('a database that does not answer is told without its password', async () => {
  const refused = applyMigrations({ databaseUrl: 'postgresql://app:s3cret@127.0.0.1:1/plumbline' });
  await expect(refused).rejects.toMatchObject({ code: 'database-unreachable' });
  await expect(refused).rejects.not.toThrow(/s3cret/);
});
