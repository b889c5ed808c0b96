// @ts-check
// Where things are in the clone, and the environment of everything that runs in it.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The Node that npm brings. Named by its own folder: npm 10 loses node_modules/.bin/node. */
export const packagedNode = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');

/** Debian keeps ethtool and ip here, and leaves these folders out of a plain user's PATH. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/**
 * The environment for npm: the user's own, without what `npm run` put in front of PATH. Its node would be one that
 * `npm ci` is about to delete.
 * @param {NodeJS.ProcessEnv} env
 */
export function outerEnvironment(env) {
  const inside = join(root, 'node_modules');
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !folder.startsWith(inside));
  return { ...env, PATH: [...new Set([...folders, ...SYSTEM_FOLDERS])].join(delimiter) };
}

/**
 * The environment for everything that npm brought.
 * @param {NodeJS.ProcessEnv} env
 */
export function innerEnvironment(env) {
  const { PATH } = outerEnvironment(env);
  return {
    ...env,
    PATH: [join(packagedNode, '..'), join(root, 'node_modules', '.bin'), PATH].join(delimiter),
    NX_DAEMON: 'false',
    NX_NO_CLOUD: 'true',
    NX_TUI: 'false',
  };
}

/**
 * The file that a shell would run for `name`.
 * @param {string} name
 * @param {string | undefined} path
 */
export function findProgram(name, path = outerEnvironment(process.env).PATH) {
  const files = (path ?? '').split(delimiter).map((folder) => join(folder, name));
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}
