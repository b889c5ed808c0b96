import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram, runProcess } from '@plumbline/process';
import { LabError } from './lab-error.js';

const SOURCES = fileURLToPath(new URL('../emulator/', import.meta.url));
/**
 * The first that can be written is used; the second serves installations that root may only read. Not in dist: the build
 * replaces that folder whole.
 */
const CACHES = [fileURLToPath(new URL('../.plumbline/emulator/', import.meta.url)), '/var/cache/plumbline/emulator'];

const FLAGS = ['-std=gnu17', '-O2', '-Wall', '-Wextra'];
const UNFINISHED = '.unfinished-';
const COMPILE_WITHIN_MS = 60_000;
const INSTALL = 'apt-get install -y --no-install-recommends gcc libc6-dev';

/** Where the emulator goes and what compiles it; tests give others. */
export interface BuildTools {
  caches?: readonly string[];
  compiler?: string;
}

interface Source {
  name: string;
  text: Buffer;
}

async function readSources(): Promise<Source[]> {
  const names = (await readdir(SOURCES)).filter((name) => /\.[ch]$/.test(name)).sort();
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(SOURCES, name)) })));
}

/** Names the program by everything that it is made of: another source, another name. */
function fileName(sources: readonly Source[]): string {
  const hash = createHash('sha256').update(`${process.arch} ${FLAGS.join(' ')}\0`);
  for (const { name, text } of sources) hash.update(`${name}\0${text.length}\0`).update(text);
  return `wan-${hash.digest('hex').slice(0, 16)}`;
}

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  );

async function writableCache(caches: readonly string[]): Promise<string> {
  for (const folder of caches) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      await access(folder, constants.W_OK);
      return folder;
    } catch {
      // Read-only here: the next folder may do.
    }
  }
  throw new LabError(
    'compile-failed',
    `the emulator has no folder to go to: neither ${caches.join(' nor ')} can be written`,
  );
}

async function findEmulator(caches: readonly string[]): Promise<string | undefined> {
  const name = fileName(await readSources());
  for (const folder of caches) if (await isProgram(join(folder, name))) return join(folder, name);
  return undefined;
}

/** Undefined when the emulator is compiled or can be; otherwise a sentence saying what to install. */
export async function whyNoEmulator({
  caches = CACHES,
  compiler = 'gcc',
}: BuildTools = {}): Promise<string | undefined> {
  if ((await findEmulator(caches)) !== undefined || findProgram(compiler) !== undefined) return undefined;
  return `the link emulator is compiled at its first use and ${compiler} is not installed; run: ${INSTALL}`;
}

/**
 * The path of the emulator's program, compiled by gcc when these sources never were. Two who compile at once do not
 * disturb each other: each writes a file of its own, and the last rename wins with the same bytes.
 * @throws {LabError} compiler-missing, compile-failed
 */
export async function buildEmulator({ caches = CACHES, compiler = 'gcc' }: BuildTools = {}): Promise<string> {
  const found = await findEmulator(caches);
  if (found !== undefined) return found;
  const missing = await whyNoEmulator({ caches, compiler });
  if (missing !== undefined) throw new LabError('compiler-missing', missing);
  const sources = await readSources();
  const folder = await writableCache(caches);
  await removeUnfinished(folder);
  const program = join(folder, fileName(sources));
  const scratch = await mkdtemp(join(folder, UNFINISHED));
  try {
    await compile(compiler, sources, scratch);
    await rename(join(scratch, 'wan'), program);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return program;
}

/** Leaves the program as `wan` in the folder. */
async function compile(compiler: string, sources: readonly Source[], folder: string): Promise<void> {
  const files = sources.filter(({ name }) => name.endsWith('.c')).map(({ name }) => join(SOURCES, name));
  const { outcome, exitCode, error, stderr } = await runProcess({
    argv: [compiler, ...FLAGS, '-o', join(folder, 'wan'), ...files],
    env: { TMPDIR: folder },
    timeoutMs: COMPILE_WITHIN_MS,
  });
  if (outcome === 'exited' && exitCode === 0) return;
  const said = error ?? `${outcome === 'exited' ? '' : `${outcome}: `}${stderr.toString('utf8')}`;
  if (/No such file or directory/.test(said) && /\.h:|crt1\.o/.test(said))
    throw new LabError('compiler-missing', `the C library's headers are not installed; run: ${INSTALL}`);
  throw new LabError('compile-failed', `${compiler} could not compile the link emulator: ${said.slice(0, 2000)}`);
}

/** What a compilation that was killed left behind. */
async function removeUnfinished(folder: string): Promise<void> {
  const left = (await readdir(folder)).filter((name) => name.startsWith(UNFINISHED));
  for (const name of left) {
    const facts = await stat(join(folder, name)).catch(() => undefined);
    if (facts && Date.now() - facts.mtimeMs > 2 * COMPILE_WITHIN_MS)
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
