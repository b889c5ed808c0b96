import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isAlive, makeFolder, ProcessIdentity } from '@plumbline/process';

/** Where a probe keeps what must outlive it. Everything in it is for the probe's user alone. */
export interface DataFolder {
  readonly spool: string;
  readonly identity: string;
  readonly children: string;
  /** Temporary files of attempts; emptied at every start. */
  readonly temporary: string;
  readonly fences: string;
  readonly ended: string;
  /** Gives the lock back. */
  release(): void;
}

/**
 * Makes the folder and takes its lock. A lock that a dead probe left is taken over.
 * @throws {Error} with a sentence when another probe works there or the folder cannot be used
 */
export function openDataFolder(root: string): DataFolder {
  const folder = (name: string): string => join(root, name);
  makeRoot(root);
  const release = takeLock(folder('lock'), root);
  rmSync(folder('tmp'), { recursive: true, force: true });
  for (const name of ['spool', 'identity', 'children', 'tmp'])
    mkdirSync(folder(name), { recursive: true, mode: 0o700 });
  return {
    spool: folder('spool'),
    identity: folder('identity'),
    children: folder('children'),
    temporary: folder('tmp'),
    fences: folder('fences'),
    ended: folder('ended.jsonl'),
    release,
  };
}

function makeRoot(root: string): void {
  try {
    makeFolder(root);
    chmodSync(root, 0o700);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The data folder ${root} cannot be used (${why}). Name one that this user may write: --data-dir DIR.`,
    );
  }
}

function takeLock(file: string, root: string): () => void {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(identifyProcess(process.pid)), { mode: 0o600 });
  try {
    // Ends after a few turns: each either takes the lock, meets a living holder, or removes a dead one's.
    for (let turn = 0; turn < 5; turn += 1) {
      if (link(mine, file)) return () => rmSync(file, { force: true });
      const holder = readHolder(file);
      if (holder && isAlive(holder))
        throw new Error(`Another probe (process ${holder.pid}) works in ${root}. Stop it, or name another --data-dir.`);
      rmSync(file, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
  throw new Error(`The lock ${file} could not be taken; other probes are starting in ${root} at the same time.`);
}

/** link(2) is atomic: it fails when the name is there. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return ProcessIdentity.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
