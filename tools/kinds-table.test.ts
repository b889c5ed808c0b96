import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { abilities, measurements, tools } from '@plumbline/measure';
import { kindCatalogue } from '@plumbline/plans';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

/** README's table of kinds and the glossary's words, beside what is registered. */
const read = (file: string) => readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), 'utf8');
const codes = (text = ''): string[] => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
const cellsOf = (line: string): string[] => line.split('|').map((cell) => cell.trim());
const Schema = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

const section = read('README.md').split('## Kinds of tests')[1]?.split('\n## ')[0] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map(cellsOf);
const COMMON = ['kind', 'name', 'repeats', 'onFailure', 'direction'];

test('README names every kind, and no other', () => {
  expect(rows.map(([, kind]) => codes(kind)[0]).sort()).toEqual(
    kindCatalogue()
      .map(({ kind }) => kind)
      .sort(),
  );
});

describe.each(kindCatalogue().map((entry) => [entry.kind, entry] as const))('%s', (kind, { schema, metrics }) => {
  const [, , parameters, tells] = rows.find(([, name]) => name === `\`${kind}\``) ?? [];

  test('has all its parameters in README, and no other', () => {
    const own = Object.keys(Schema.parse(schema).properties).filter((name) => !COMMON.includes(name));
    expect(codes(parameters).sort()).toEqual(own.sort());
  });

  test('has the metrics that README names', () => {
    expect(codes(tells).length).toBeGreaterThan(0);
    expect(codes(tells).filter((name) => !metrics.includes(name))).toEqual([]);
  });
});

describe('the glossary', () => {
  const wordsOf = (word: string) =>
    codes(
      read('docs/glossary.md')
        .split('\n')
        .find((line) => line.startsWith(`| ${word} |`)),
    ).sort();

  test('names every kind', () => {
    expect(wordsOf('kind')).toEqual(
      kindCatalogue()
        .map(({ kind }) => kind)
        .sort(),
    );
  });

  test('names every measurement, and every tool', () => {
    expect(wordsOf('measurement')).toEqual(measurements.map(({ kind }) => kind).sort());
    expect(wordsOf('tool')).toEqual(tools.map(({ name }) => name).sort());
    expect(new Set(abilities.map(({ measures }) => measures))).toEqual(new Set(wordsOf('measurement')));
  });
});
