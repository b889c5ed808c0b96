import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Row {
  readonly id: string;
  readonly files: readonly string[];
}
const rows: readonly Row[] = textOf('docs/field-cases.md')
  .split('\n')
  .flatMap((line) => {
    const [, id, , files = ''] = /^\| ([ABC]\d+) \| ([^|]+) \| ([^|]+) \|$/.exec(line) ?? [];
    return id === undefined ? [] : [{ id, files: [...files.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? '') }];
  });

/** Titles of tests and of their groups; with `each` the title follows the table. */
const titlesIn = (file: string): string[] =>
  [...textOf(file).matchAll(/(?:\b(?:test|it|describe)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\n])*)\1\s*,/g)].map(
    (found) => found[2] ?? '',
  );
const names = (title: string, id: string): boolean => new RegExp(String.raw`\b${id}\b`).test(title);

const testFiles = ['apps', 'libs'].flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !/(^|\/)(node_modules|dist)\//.test(name))
    .map((name) => `${room}/${name}`),
);

/** Group A whole, those of group B that the rules of the diagnosis are tested with, and those of group C that touch tools. */
const CASES =
  'A1 A2 A3 A4 A5 A6 A8 A9 A10 A11 A13 A15 A17 A18 A22 A23 A25 A26 A28 A29 A30 A31 A32 A34 A35 A36 A39 A40 A42 A44 A45 A47 A48 A49 A51 A53 A54 A55 A57 A59 A61 A63 B1 B2 B4 B6 B7 B9 B10 B11 B14 B16 B17 B19 B21 B22 B25 B27 B28 B29 B31 B36 B37 B42 C8 C9 C15 C23 C25';

test('every case has its row, once', () => {
  expect(rows.map(({ id }) => id)).toEqual(CASES.split(' '));
});

test.each(rows)('$id has a test that names it, in each file of its row', ({ id, files }) => {
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(
      titlesIn(file).some((title) => names(title, id)),
      `${file} has no test that names ${id}`,
    ).toBe(true);
  }
});

test('a case that a test names is on the page', () => {
  for (const file of testFiles)
    for (const title of titlesIn(file))
      for (const id of title.match(/(?<=[(, ]|^)[ABC]\d+(?=[),:])/g) ?? [])
        expect(CASES.split(' '), `${file}: ${title}`).toContain(id);
});
