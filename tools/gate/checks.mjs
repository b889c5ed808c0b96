// @ts-check
// What is checked before any test runs: each counts as one test.
import { root } from '../bootstrap/places.mjs';

const CHECK_LONGEST_MS = 5 * 60_000;

/** @type {readonly { name: string, argv: readonly string[] }[]} */
export const CHECKS = [
  { name: 'format and lint (biome)', argv: ['biome', 'ci', '--error-on-warnings'] },
  { name: 'import rules (dependency-cruiser)', argv: ['depcruise', '--output-type', 'err', 'apps', 'libs', 'tools'] },
  { name: "the probe's contract (buf)", argv: ['buf', 'lint'] },
  // The build has checked src; this adds tests and benchmarks.
  { name: 'types of tests and tools (tsc)', argv: ['tsc', '-p', 'tsconfig.tests.json'] },
];

/**
 * @param {{ name: string, argv: readonly string[] }} check
 * @param {import('../bootstrap/lifeline.mjs').Lifeline} life
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runCheck({ name, argv }, life, env) {
  const { code, error } = await life.run(argv, { cwd: root, env, timeoutMs: CHECK_LONGEST_MS });
  if (code === 0) return { passed: 1, failed: 0, skipped: 0 };
  console.log(`FAILED: ${name}: ${argv.join(' ')} ended with ${error ?? `exit code ${code}`}`);
  return { passed: 0, failed: 1, skipped: 0 };
}
