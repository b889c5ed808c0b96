// @ts-check
// Who started us: when they are gone, we stop. By pid and start time; a pid alone is used again.
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';

/** @typedef {{ pid: number, startTicks: string }} Ancestor */

/**
 * Fields 3 (state), 4 (parent) and 22 (start time) of /proc/PID/stat (proc(5)); undefined when there is no such process.
 * @param {number} pid
 */
export function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startTicks: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** @param {Ancestor} ancestor */
export function isAlive({ pid, startTicks }) {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && stat.state !== 'Z' && stat.state !== 'X';
}

/**
 * Our parent, and the ones above it up to the npm that runs us (npm starts a shell, which may start us). npm is told by
 * the program that it says it runs on.
 * @param {number} parent
 * @param {NodeJS.ProcessEnv} env
 * @returns {Ancestor[]} empty when nobody but init started us
 */
export function ancestorsUpToNpm(parent, env) {
  const npmRunsOn = env.npm_lifecycle_event === undefined ? undefined : env.npm_node_execpath;
  /** @type {Ancestor[]} */
  const chain = [];
  // Ends at npm or at init, at the latest after four generations.
  for (let pid = parent; pid > 1 && chain.length < 4; ) {
    const stat = readStat(pid);
    if (stat === undefined) break;
    chain.push({ pid, startTicks: stat.startTicks });
    if (npmRunsOn === undefined) break;
    if (programOf(pid) === realPath(npmRunsOn)) return chain;
    pid = stat.parent;
  }
  // No npm was found (it hides, or it is another user's): the parent alone.
  return chain.slice(0, 1);
}

/** @param {number} pid */
function programOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}

/** @param {string} file */
function realPath(file) {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
