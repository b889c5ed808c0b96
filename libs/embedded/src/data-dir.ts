import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isAlive, ProcessIdentity, startProcess } from '@plumbline/process';
import { EmbeddedError, reasonOf } from './fault.js';
import { dataFolder, writeWhole } from './folder.js';

/** Seconds that a killed stack's lock is waited for; the kernel ends its holder within milliseconds. */
const LOCK_WAIT_S = 3;
const LOCK_CONFLICT = 75;
const LONGEST_MS = 10_000;

export interface DataDir extends AsyncDisposable {
  /** Absolute, without links. */
  readonly dir: string;
  /** Gives the folder back. May be called again. */
  release(): Promise<void>;
}

/**
 * Takes a data folder for one stack: makes it (0700) and locks it. The lock is the kernel's (flock(2)), held by a small
 * child that dies with us, so that a killed stack leaves none behind; `stack.json` says who holds it, by pid and start
 * time.
 * @throws EmbeddedError data-dir-in-use, at once when its holder lives; data-dir-unusable
 */
export async function withDataDir(path: string): Promise<DataDir> {
  const dir = dataFolder(path);
  const file = join(dir, 'stack.json');
  const holder = readHolder(file);
  if (holder && isAlive(holder)) throw inUse(dir, `process ${holder.pid}`);
  const release = await lock(dir);
  const self = identifyProcess(process.pid);
  if (self) writeWhole(file, `${JSON.stringify(self)}\n`);
  let released: Promise<void> | undefined;
  const giveBack = async (): Promise<void> => {
    rmSync(file, { force: true });
    await release();
  };
  const once = (): Promise<void> => {
    released ??= giveBack();
    return released;
  };
  return { dir, release: once, [Symbol.asyncDispose]: once };
}

async function lock(dir: string): Promise<() => Promise<void>> {
  let held: () => void = () => {};
  const isHeld = new Promise<true>((tell) => {
    held = () => tell(true);
  });
  const file = lockFile(dir);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), LONGEST_MS);
  const options = ['--no-fork', '--wait', String(LOCK_WAIT_S), '--conflict-exit-code', String(LOCK_CONFLICT)];
  const holder = startProcess({
    argv: ['flock', ...options, file, 'sh', '-c', 'echo held; exec sleep infinity'],
    cwd: dir,
    onStdout: held,
    signal: late.signal,
  });
  // Ends with the lock or with the child, which LONGEST_MS ends.
  const first = await Promise.race([isHeld, holder.result]);
  clearTimeout(timer);
  if (first === true) {
    return async () => {
      await holder.stop(0);
    };
  }
  if (first.exitCode === LOCK_CONFLICT) throw inUse(dir, 'another process');
  const said = first.error ?? (first.stderr.toString('utf8').trim() || first.outcome);
  throw new EmbeddedError('data-dir-unusable', `${dir} cannot be locked: ${said}. Name another --data-dir.`);
}

/** Only its owner may open it: whoever can open a file can lock it. */
function lockFile(dir: string): string {
  const file = join(dir, 'lock');
  try {
    closeSync(openSync(file, 'a', 0o600));
    return file;
  } catch (error) {
    throw new EmbeddedError(
      'data-dir-unusable',
      `${dir} cannot be locked (${reasonOf(error)}). Name another --data-dir.`,
      {
        cause: error,
      },
    );
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return ProcessIdentity.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Missing, or cut off by a crash: the lock decides.
    return undefined;
  }
}

const inUse = (dir: string, who: string): EmbeddedError =>
  new EmbeddedError(
    'data-dir-in-use',
    `The data folder ${dir} is in use by ${who}. Stop it, or name another --data-dir.`,
  );
