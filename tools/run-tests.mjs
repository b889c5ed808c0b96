#!/usr/bin/env node
// @ts-check
// The gate: checks, then the tiers of tests one after another, then one line that says how many passed and failed.
// node tools/run-tests.mjs [--check] [vitest filters]; --check leaves out the tiers that need servers or namespaces.
import { Lifeline } from './bootstrap/lifeline.mjs';
import { innerEnvironment } from './bootstrap/places.mjs';
import { CHECKS, runCheck } from './gate/checks.mjs';
import { closingLine, exitCodeFor, NOTHING, sum } from './gate/tally.mjs';
import { runTier, TIERS } from './gate/tiers.mjs';

const args = process.argv.slice(2);
const fastOnly = args.includes('--check');
const filters = args.filter((argument) => argument !== '--check');
const life = new Lifeline();
const env = innerEnvironment(process.env);

/** @typedef {import('./gate/tally.mjs').Tally & { reasons?: string[], unsteady?: string[] }} Outcome */
/** @type {{ name: string, tally: Outcome, seconds: number }[]} */
const done = [];
/** @param {string} name @param {() => Promise<Outcome>} step */
async function record(name, step) {
  if (life.stoppedBy !== undefined) return;
  console.log(`\n== ${name}`);
  const startMs = performance.now();
  const tally = await step();
  done.push({ name, tally, seconds: (performance.now() - startMs) / 1000 });
}

for (const check of CHECKS) await record(check.name, () => runCheck(check, life, env));
for (const tier of fastOnly ? TIERS.slice(0, 1) : TIERS)
  await record(`tests: ${tier.name}`, () => runTier(tier, filters, life, env));
life.dispose();

console.log('');
for (const { name, tally, seconds } of done) {
  console.log(`${tally.failed > 0 ? 'FAILED' : 'ok    '}  ${name}: ${closingLine(tally)} (${seconds.toFixed(1)} s)`);
  for (const line of tally.unsteady ?? []) console.log(`  passed only at the second try: ${line}`);
  for (const line of tally.reasons ?? []) console.log(`  FAILED: ${line}`);
}
const total = done.reduce((all, { tally }) => sum(all, tally), NOTHING);
const stopped = life.stoppedBy;
if (stopped !== undefined) console.log(`Stopped (${stopped}) before the end: this is no result.`);
console.log(closingLine(stopped === undefined ? total : sum(total, { passed: 0, failed: 1, skipped: 0 })));
process.exitCode = exitCodeFor(total, stopped);
