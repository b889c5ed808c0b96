import { chmodSync, chownSync, lstatSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@plumbline/process';
import type { Account } from './account.js';
import { EmbeddedError, reasonOf } from './fault.js';

/**
 * Makes (with its parents) or takes over a folder that only its owner enters: mode 0700, owned by `account`.
 * @throws EmbeddedError data-dir-unusable
 */
export function privateFolder(folder: string, account: Account = {}): string {
  try {
    makeFolder(folder);
    // lstat: never follow a link that somebody planted.
    const found = lstatSync(folder);
    if (!found.isDirectory()) throw new Error('it is not a folder');
    const uid = account.uid ?? process.getuid?.() ?? found.uid;
    const gid = account.gid ?? found.gid;
    if (found.uid !== uid || found.gid !== gid) chownSync(folder, uid, gid);
    if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    throw unusable(folder, error);
  }
}

/**
 * Makes the data folder itself: 0700 when it is new; the mode of one that was there is its owner's choice.
 * @returns its absolute path without links
 * @throws EmbeddedError data-dir-unusable
 */
export function dataFolder(dir: string): string {
  try {
    makeFolder(dir);
    return realpathSync(dir);
  } catch (error) {
    throw unusable(dir, error);
  }
}

/** Writes a small file whole or not at all (mode 0600). */
export function writeWhole(file: string, text: string): void {
  const draft = join(dirname(file), `.${process.pid}.${Math.random().toString(36).slice(2)}.draft`);
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    throw unusable(dirname(file), error);
  }
}

function unusable(folder: string, error: unknown): EmbeddedError {
  return new EmbeddedError(
    'data-dir-unusable',
    `${folder} cannot be used (${reasonOf(error)}). Run as the user that owns it, or name another --data-dir.`,
    { cause: error },
  );
}
