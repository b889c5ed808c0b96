// @ts-check
// The npm packages of exactly this lock, among them the Node that everything else runs on.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupFailure } from './failure.mjs';
import { outerEnvironment, root } from './places.mjs';

/** @param {string} folder the clone */
const stampFile = (folder) => join(folder, 'node_modules', '.plumbline-lock');

/**
 * What the stamp says when these packages are all there.
 * @param {string} folder
 */
export function lockStamp(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

/** @param {string} folder */
export function packagesAreThere(folder) {
  const file = stampFile(folder);
  return existsSync(file) && readFileSync(file, 'utf8') === lockStamp(folder);
}

/**
 * Installs the lock's packages unless they are there. The stamp goes first and comes last: an `npm ci` that was
 * interrupted is done again.
 * @param {import('./lifeline.mjs').Runner} life
 */
export async function ensureNpmPackages(life, folder = root, install = npmCommand(process.env, folder)) {
  if (packagesAreThere(folder)) return;
  console.log('Installing npm packages (half a minute) ...');
  rmSync(stampFile(folder), { force: true });
  const expected = lockStamp(folder);
  const { code, error } = await life.run(install, { cwd: folder, env: outerEnvironment(process.env) });
  life.throwIfStopped();
  if (code !== 0)
    throw new SetupFailure(
      `npm ci failed (${error ?? `exit code ${code}`}); its own words are above. Is the npm registry in reach? Then run this again.`,
    );
  writeFileSync(stampFile(folder), expected);
}

/**
 * The npm that called us, else the one in PATH.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder
 */
export function npmCommand(env, folder) {
  const { npm_execpath: npm, npm_node_execpath: node } = env;
  const inside = (/** @type {string} */ file) => file.startsWith(join(folder, 'node_modules'));
  const usable =
    npm && node && /npm-cli\.c?js$/.test(npm) && existsSync(npm) && existsSync(node) && !inside(npm) && !inside(node);
  const [program, ...first] = usable ? [node, npm] : ['npm'];
  return [program, ...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
}
