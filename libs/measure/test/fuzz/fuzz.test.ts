import { describe, expect, test } from 'vitest';
import { fuzz, fuzzFailures, problemsAsRecorded } from './run.js';
import { subjects } from './subjects.js';

/** The gate takes a few hundred inputs a reader; `npm run bench fuzz` takes 100,000 in all. */
const SEED = Number(process.env.PLUMBLINE_SEED ?? Date.now() % 2 ** 31);
const INPUTS = 300;

test.each(subjects)('$name', (subject) => {
  expect(subject.recordings.length).toBeGreaterThan(0);
  expect(problemsAsRecorded(subject)).toEqual([]);
  try {
    fuzz(subject, { inputs: INPUTS, seed: SEED });
    fuzzFailures(subject, { inputs: INPUTS / 3, seed: SEED });
  } catch (error) {
    throw new Error(`PLUMBLINE_SEED=${SEED}`, { cause: error });
  }
});

describe('the harness itself', () => {
  const throughput = subjects.find(({ name }) => name === 'throughput/iperf3');
  test('has failures and successes to work on', () => {
    const failing = throughput?.recordings.filter(({ texts }, i) => throughput.fails?.(i, texts)) ?? [];
    expect(failing.length).toBeGreaterThan(5);
    expect((throughput?.recordings.length ?? 0) - failing.length).toBeGreaterThan(5);
  });

  test('finds a reader that lies', () => {
    if (!throughput) throw new Error('no subject');
    const liar = { ...throughput, fails: (_: number, [text = '']: readonly string[]) => text.includes('error') };
    expect(() => fuzzFailures(liar, { inputs: 300, seed: 1 })).toThrow('Property failed');
    const thrower = {
      ...throughput,
      problems: (_: number, [text = '']: readonly string[]) => [String(JSON.parse(text))],
    };
    expect(() => fuzz(thrower, { inputs: 50, seed: 1 })).toThrow();
  });
});
