// @ts-check
// Builds the workspace unless exactly these sources were built before.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from './failure.mjs';
import { innerEnvironment, root } from './places.mjs';

const SOURCE_FOLDERS = ['apps', 'libs', 'proto', 'prisma', 'tools'];
const ROOT_FILES = /^(package(-lock)?\.json|tsconfig.*\.json|nx\.json|buf.*\.yaml|prisma\.config\.ts)$/;
/** Folders and files that builds write: all that .gitignore names below apps and libs. */
const MADE = new Set(['dist', 'generated']);
const MADE_FILES = new Set(['libs/api-client/src/schema.ts']);
/** What is installed, and what programs keep while they run (.plumbline, .nx). */
const isNoPart = (/** @type {string} */ name) => name === 'node_modules' || name.startsWith('.');

/**
 * Every file below, in one order: sources, and what builds made.
 * @param {string} folder the clone
 */
export function listFiles(folder) {
  /** @type {{ sources: string[], made: string[] }} */
  const found = { sources: [], made: [] };
  /** @param {string} at @param {boolean} isMade */
  const walk = (at, isMade) => {
    if (!existsSync(join(folder, at))) return;
    for (const entry of readdirSync(join(folder, at), { withFileTypes: true })) {
      const file = `${at}/${entry.name}`;
      if (entry.isDirectory() && !isNoPart(entry.name)) walk(file, isMade || MADE.has(entry.name));
      else if (entry.isFile()) (isMade || MADE_FILES.has(file) ? found.made : found.sources).push(file);
    }
  };
  for (const name of SOURCE_FOLDERS) walk(name, false);
  found.sources.push(...readdirSync(folder).filter((name) => ROOT_FILES.test(name)));
  return { sources: found.sources.sort(), made: found.made.sort() };
}

/**
 * Differs when a source changed, appeared or went, and when anything that was made did: by content, for a build that is
 * done again makes the same.
 * @param {string} folder
 */
export function buildStamp(folder) {
  const { sources, made } = listFiles(folder);
  const source = hashOf(folder, sources);
  // The compiler's own notes change without the output.
  const output = made.filter((file) => !file.endsWith('.tsbuildinfo'));
  return { source, text: `${source} ${output.length} ${hashOf(folder, output)}\n` };
}

/** @param {string} folder @param {readonly string[]} files */
function hashOf(folder, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const bytes = readFileSync(join(folder, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** @param {string} folder */
const stampFile = (folder) => join(folder, 'node_modules', '.plumbline-build');

/** @param {string} folder */
export function isBuilt(folder) {
  const file = stampFile(folder);
  return existsSync(file) && readFileSync(file, 'utf8') === buildStamp(folder).text;
}

/**
 * @param {import('./lifeline.mjs').Runner} life
 * @param {string} folder
 * @param {readonly string[]} build
 */
export async function ensureBuild(
  life,
  folder = root,
  build = ['nx', 'run-many', '-t', 'build', '--output-style=static'],
) {
  if (isBuilt(folder)) return;
  console.log('Building ...');
  rmSync(stampFile(folder), { force: true });
  const before = buildStamp(folder).source;
  const { code, error } = await life.run(build, { cwd: folder, env: innerEnvironment(process.env) });
  life.throwIfStopped();
  if (code !== 0)
    throw new SetupFailure(`The build failed (${error ?? `exit code ${code}`}); its own words are above.`);
  const after = buildStamp(folder);
  // Someone edited while it was built, or it made its first source file: no stamp, and the next start asks nx.
  if (after.source === before) writeFileSync(stampFile(folder), after.text);
}
