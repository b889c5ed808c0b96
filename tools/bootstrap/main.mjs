// @ts-check
// One task after the set-up that it needs.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuild } from './build.mjs';
import { ensureSystemPackages } from './debian.mjs';
import { SetupFailure } from './failure.mjs';
import { Lifeline } from './lifeline.mjs';
import { ensureNpmPackages } from './npm.mjs';
import { findProgram, innerEnvironment, packagedNode, root } from './places.mjs';
import { refusalOf, thisMachine } from './platform.mjs';

/**
 * What each task runs after the set-up, on the packaged Node; nothing for `build`.
 * @type {Readonly<Record<string, { argv: readonly string[], env?: Readonly<Record<string, string>> } | undefined>>}
 */
export const TASKS = {
  start: { argv: ['apps/cli/dist/main.js', 'start'] },
  test: { argv: ['tools/run-tests.mjs'] },
  'test:full': { argv: ['tools/run-tests.mjs'], env: { PLUMBLINE_FULL: '1' } },
  check: { argv: ['tools/run-tests.mjs', '--check'] },
  bench: { argv: ['tools/run-bench.mjs'] },
  build: { argv: [] },
};

/** @param {readonly string[]} argv the task and its own arguments */
export async function main(argv) {
  const life = new Lifeline();
  try {
    process.exitCode = await runTask(life, argv);
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    console.error(error.message);
    process.exitCode = error.exitCode;
  } finally {
    life.dispose();
  }
}

/**
 * @param {Lifeline} life
 * @param {readonly string[]} argv
 * @returns {Promise<number>} the exit code of the task
 */
async function runTask(life, [task = 'start', ...args]) {
  const found = TASKS[task];
  if (!found) throw new SetupFailure(`There is no task ${task}. Name one of: ${Object.keys(TASKS).join(', ')}.`, 2);
  const refusal = refusalOf(thisMachine());
  if (refusal !== undefined) throw new SetupFailure(refusal);
  const release = await waitForOtherSetups(life);
  life.throwIfStopped();
  try {
    await ensureSystemPackages(task, life);
    await ensureNpmPackages(life);
    await ensureBuild(life);
  } finally {
    release();
  }
  life.throwIfStopped();
  if (found.argv.length === 0) return 0;
  const node = existsSync(packagedNode) ? packagedNode : process.execPath;
  const env = { ...innerEnvironment(process.env), ...found.env };
  const { code, error } = await life.run([node, ...found.argv, ...args], { cwd: root, env });
  if (error !== undefined) throw new SetupFailure(`${task} could not be started: ${error}`);
  return code;
}

/**
 * Two set-ups in one clone would delete each other's packages. The lock is the kernel's (flock(1) on package.json), held
 * by a child that ends when its stdin closes, and so with us.
 * @param {Lifeline} life
 * @returns {Promise<() => void>} gives it back
 */
async function waitForOtherSetups(life) {
  if (findProgram('flock') === undefined) return () => {};
  const child = spawn('flock', [join(root, 'package.json'), 'sh', '-c', 'echo held; exec cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const patience = setTimeout(() => console.log('Another set-up works in this clone; waiting for it ...'), 1000);
  const held = new Promise((resolve) => {
    child.stdout.once('data', resolve);
    child.once('error', resolve);
    child.once('exit', resolve);
  });
  // Ends with the lock (set-ups end by themselves), when flock may not lock, or when we are told to end.
  await Promise.race([held, life.whenStopped]);
  clearTimeout(patience);
  return () => {
    child.stdin.end();
    child.stdout.destroy();
    child.unref();
  };
}
