import { readFileSync } from 'node:fs';
import { NullReason, PROBLEM_BASE, PROBLEMS, REASONS, Reason, StepReason } from '@plumbline/model';
import { describe, expect, test } from 'vitest';

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

/** The rows of the table under a heading, each as its cells; the first cell without its backticks. */
function rows(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')),
    );
}

describe('docs/errors.md has exactly', () => {
  test('the problems, with their status', () => {
    const told = rows('Problems of the HTTP interface').map(([code, status]) => [code, Number(status)]);
    expect(told.sort()).toEqual(
      Object.entries(PROBLEMS)
        .map(([code, { status }]) => [code, status])
        .sort(),
    );
    expect(page).toContain(PROBLEM_BASE);
  });

  test('the reasons of attempts, with outcome and whether they are tried again', () => {
    const told = rows('Reasons of attempts').map(([reason, outcome, again]) => [reason, outcome, again]);
    const known = Object.entries(REASONS).map(([reason, { outcome, retry }]) => [
      reason,
      outcome,
      retry ? 'yes' : 'no',
    ]);
    expect(told.sort()).toEqual(known.sort());
  });

  test('the reasons that only steps and legs have', () => {
    const own = StepReason.options.filter((reason) => !Reason.safeParse(reason).success);
    expect(
      rows('Reasons of steps and legs')
        .map(([reason]) => reason)
        .sort(),
    ).toEqual([...own].sort());
  });

  test('the reasons of metrics without a value', () => {
    expect(
      rows('Reasons of metrics')
        .map(([reason]) => reason)
        .sort(),
    ).toEqual([...NullReason.options].sort());
  });

  test('a meaning and an advice for each', () => {
    const all = ['Problems', 'Reasons of attempts', 'Reasons of steps', 'Reasons of metrics'].flatMap(rows);
    expect(all.length).toBeGreaterThan(70);
    expect(all.filter((cells) => cells.some((cell) => cell.length < 2))).toEqual([]);
  });
});
