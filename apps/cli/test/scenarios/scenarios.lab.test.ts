import { afterAll, beforeAll, expect, test } from 'vitest';
import { SeedPath } from '../known-answers/seed-path.js';
import { Draws } from '../seed.js';
import { FAMILIES } from './families.js';
import { conduct, trialText } from './trial.js';

/**
 * One path of each kind of fault, the diagnosis compared with what was stated beforehand. The draws of the gate are always the same;
 * others are made by `apps/cli/bench/diagnosis-draws.bench.ts`.
 */
const SEED = 20_261_130;

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('scenarios');
});
afterAll(() => seed?.stop());

test.each(FAMILIES)('$name', async ({ name, draw }) => {
  const scenario = draw(new Draws(SEED + FAMILIES.findIndex((family) => family.name === name)));
  console.log(`${name}: ${scenario.text}`);
  const trial = await conduct(seed, scenario);
  console.log(trialText(trial));
  expect({ verdict: trial.verdict, faults: trial.faults }).toEqual({ verdict: 'right', faults: [] });
});
