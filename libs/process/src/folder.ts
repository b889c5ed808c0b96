import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder with its parents, level by level. Not by Node's own `recursive`: where a file system says ENOENT to every
 * mkdir(2) below a folder that is there, as /proc does, that tries for ever.
 * @param mode of each folder that is new
 * @throws {Error} the system's own, at the first level that cannot be made; when there is something else than a folder
 */
export function makeFolder(path: string, mode = 0o700): void {
  const missing: string[] = [];
  // Ends at the root at the latest, which is always there.
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) makeOne(folder, mode);
  if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
}

/** Somebody else may make it at the same time. */
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST' && existsSync(folder))) throw error;
  }
}
