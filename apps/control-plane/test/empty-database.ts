import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations, startPostgres } from '@plumbline/embedded';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of a Postgres that has this version's tables and no rows, and does not run. */
    emptyDatabase: string;
  }
}

/**
 * For vitest's globalSetup: the database that each file starts from a copy of. To make it anew for each took 3 s a file; how it is made is
 * what the tests of libs/embedded are about.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const dir = mkdtempSync(join(tmpdir(), 'plumbline-empty-'));
  const postgres = await startPostgres({ dir });
  try {
    await applyMigrations({ databaseUrl: postgres.url });
  } finally {
    await postgres.stop();
  }
  project.provide('emptyDatabase', join(dir, 'postgres'));
  return () => rmSync(dir, { recursive: true, force: true });
}
