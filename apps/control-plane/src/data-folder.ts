import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a data folder with its parents, level by level: Node's own `recursive` never ends below /proc. It may be there already,
 * and others may make it at the same time.
 * @throws {Error} with a sentence that says what to do
 */
export function makeDataFolder(folder: string): void {
  try {
    makeWithParents(resolve(folder));
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The data folder ${folder} cannot be made (${why}). Name a folder that can be made or is there.`);
  }
}

/** Ends: each call is one level higher, and the root has itself as its parent. */
function makeWithParents(folder: string): void {
  const missing = made(folder);
  if (!missing) return;
  if (dirname(folder) === folder) throw missing;
  makeWithParents(dirname(folder));
  const stillMissing = made(folder);
  if (stillMissing) throw stillMissing;
}

/** @returns the error when its parent is missing. @throws {Error} the system's own, of any other kind than that it is there */
function made(folder: string): Error | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' && error instanceof Error) return error;
    if (code !== 'EEXIST') throw error;
  }
  return undefined;
}
