import { expect, test } from 'vitest';
import { SeedPath } from '../known-answers/seed-path.js';
import { Draws, seedOfRun } from '../seed.js';
import { FAMILIES } from './families.js';
import type { Family } from './scenario.js';
import { conduct, type Trial, trialText } from './trial.js';

/**
 * Paths that nobody knew before, as many as PLUMBLINE_DRAWS says (the bench tier: 200), several labs at once; those that need
 * the machine for themselves come last, alone. PLUMBLINE_FAMILY keeps to families whose name has that text.
 */
const count = Number(process.env.PLUMBLINE_DRAWS ?? 0);
const LABS = Number(process.env.PLUMBLINE_LABS ?? 3);
const ALONE = /CPU|per-flow|short test/;

interface Drawn {
  readonly family: Family;
  readonly seed: number;
}

test.runIf(count > 0)(
  `${count} drawn faults: at least 95 % right, and none wrong but for 1 in 100`,
  async () => {
    const first = seedOfRun();
    const families = FAMILIES.filter(({ name }) => name.includes(process.env.PLUMBLINE_FAMILY ?? ''));
    const drawn = Array.from({ length: count }, (_, i): Drawn[] => {
      const family = families[i % families.length];
      return family ? [{ family, seed: first + i }] : [];
    }).flat();
    console.log(`PLUMBLINE_SEED=${first}, ${drawn.length} draws`);
    const results = await inLabs(
      drawn.filter(({ family }) => !ALONE.test(family.name)),
      LABS,
    );
    results.push(
      ...(await inLabs(
        drawn.filter(({ family }) => ALONE.test(family.name)),
        1,
      )),
    );
    const right = results.filter(({ verdict }) => verdict === 'right').length;
    const wrong = results.filter(({ verdict }) => verdict === 'wrong').length;
    console.log(confusion(results));
    console.log(`${right} of ${results.length} right, ${wrong} wrong, the others not told`);
    expect(right / results.length).toBeGreaterThanOrEqual(0.95);
    expect(wrong / results.length).toBeLessThanOrEqual(0.01);
  },
  3 * 3_600_000,
);

type Judged = Pick<Trial, 'verdict' | 'primary'> & { readonly family: string };

/** Ends when every draw was conducted. A draw that fails by itself counts as not told. */
async function inLabs(drawn: readonly Drawn[], labs: number): Promise<Judged[]> {
  const open = [...drawn];
  const results: Judged[] = [];
  const work = async (_: unknown, lab: number): Promise<void> => {
    if (open.length === 0) return;
    const path = await SeedPath.start(`draws-${labs}-${lab}`);
    try {
      for (let next = open.shift(); next; next = open.shift()) results.push(await one(path, next));
    } finally {
      await path.stop();
    }
  };
  await Promise.all(Array.from({ length: labs }).map(work));
  return results;
}

async function one(path: SeedPath, { family, seed }: Drawn): Promise<Judged> {
  const scenario = family.draw(new Draws(seed));
  const heading = `${family.name} (seed ${seed}): ${scenario.text}`;
  try {
    const trial = await conduct(path, scenario);
    console.log(trial.verdict === 'right' ? `right: ${heading}` : `${heading}\n${trialText(trial)}`);
    return { family: family.name, ...trial };
  } catch (error) {
    console.log(`${heading}\n  failed: ${error}`);
    return { family: family.name, verdict: 'cannot-tell' };
  }
}

/** A line each family: how many were right, and what was said of the others. */
function confusion(results: readonly Judged[]): string {
  const families = [...new Set(results.map(({ family }) => family))];
  return families
    .map((family) => {
      const own = results.filter((result) => result.family === family);
      const right = own.filter(({ verdict }) => verdict === 'right').length;
      const others = own
        .filter(({ verdict }) => verdict !== 'right')
        .map(({ primary, verdict }) => `${verdict}: ${primary ?? 'nothing holds'}`);
      return `  ${family.padEnd(30)} ${right} of ${own.length}${others.length > 0 ? `   ${others.join(', ')}` : ''}`;
    })
    .join('\n');
}
