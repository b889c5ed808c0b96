// @ts-check
// The tiers of vitest.config.ts, one after another: servers and links must not disturb each other.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../bootstrap/places.mjs';
import { NOTHING, tallyOf } from './tally.mjs';

/** @typedef {{ name: 'fast' | 'integration' | 'lab', longestMs: number }} Tier */

/** @type {readonly Tier[]} */
export const TIERS = [
  { name: 'fast', longestMs: 10 * 60_000 },
  { name: 'integration', longestMs: 20 * 60_000 },
  { name: 'lab', longestMs: 30 * 60_000 },
];

/** The long form (npm run test:full) repeats and kills: three times as long. */
const FULL = 3;

/**
 * @param {Tier} tier
 * @param {readonly string[]} filters
 * @param {import('../bootstrap/lifeline.mjs').Lifeline} life
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./tally.mjs').Tally & { reasons?: string[], unsteady?: string[] }>}
 */
export async function runTier(tier, filters, life, env) {
  if (tier.name === 'lab') {
    const why = await whyNoLab();
    if (why !== undefined) return withoutLab(why, env);
  }
  const folder = mkdtempSync(join(tmpdir(), 'plumb-gate-'));
  const report = join(folder, 'report.json');
  try {
    const argv = ['vitest', 'run', '--project', `${tier.name}*`, '--allowOnly=false', '--reporter=default'];
    const { code } = await life.run([...argv, '--reporter=json', `--outputFile.json=${report}`, ...filters], {
      cwd: root,
      env,
      timeoutMs: tier.longestMs * (env.PLUMBLINE_FULL ? FULL : 1),
    });
    const text = existsSync(report) ? readFileSync(report, 'utf8') : undefined;
    // With a filter a tier may well have nothing that fits; without one that is a mistake.
    if (text === undefined && filters.length > 0 && !anyFileFits(tier, filters)) return NOTHING;
    return tallyOf(text, code, { mayBeEmpty: filters.length > 0 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why this machine cannot emulate links; undefined when it can. Asks the lab itself, as it was built. */
async function whyNoLab() {
  const built = pathToFileURL(join(root, 'apps', 'lab', 'dist', 'index.js')).href;
  const { canMakeLab } = await import(built);
  const capability = await canMakeLab();
  return capability.ok ? undefined : String(capability.reason);
}

/**
 * Said aloud and counted; and a failure where it must work: CI as root.
 * @param {string} why
 * @param {NodeJS.ProcessEnv} env
 */
function withoutLab(why, env) {
  const files = testFiles('.lab.test.ts').length;
  const must = Boolean(env.CI) && env.CI !== 'false' && process.getuid?.() === 0;
  console.log(`${must ? 'FAILED' : 'SKIPPED'}: all ${files} files of the lab tier, because ${why}.`);
  console.log('What that leaves unproven: every number measured over links with known answers.');
  return must ? { ...NOTHING, failed: Math.max(files, 1) } : { ...NOTHING, skipped: files };
}

/** @param {Tier} tier @param {readonly string[]} filters */
const anyFileFits = (tier, filters) =>
  testFiles(tier.name === 'fast' ? '.test.ts' : `.${tier.name}.test.ts`).some((file) =>
    filters.some((filter) => file.includes(filter)),
  );

/** @param {string} ending */
function testFiles(ending) {
  return ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(ending) && !file.includes('node_modules') && !file.includes('dist/'))
      .map((file) => join(root, folder, file)),
  );
}
