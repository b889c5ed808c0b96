import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../src/program.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Every command line of ours in a page's shell blocks, its words, without what the shell takes away. */
function commandLines(page: string): string[][] {
  return [...textOf(page).matchAll(/```sh\n(.*?)```/gs)]
    .flatMap((block) => (block[1] ?? '').split('\n'))
    .map((line) => line.trim().replace(/\s+#.*$/, ''))
    .filter((line) => line.startsWith('plumb '))
    .map((line) => line.split(/\s+/).slice(1));
}

const nowhere = { isTty: false, colour: false, columns: () => 80, write: () => {} };
const context = { env: {}, cwd: '/', out: nowhere, err: nowhere, readStdin: async () => '', endWith: () => {} };

/** The command that the words name, and the words that are left for it. */
async function resolve(words: readonly string[]): Promise<{ command: Command; rest: readonly string[] }> {
  let command = await buildProgram(words, context);
  let rest = words;
  // Ends: each turn takes one word.
  for (;;) {
    const next = command.commands.find((c) => c.name() === rest[0]);
    if (next === undefined) return { command, rest };
    command = next;
    rest = rest.slice(1);
  }
}

describe.each(pages)('%s', (page) => {
  test('names commands and flags that there are', async () => {
    for (const words of commandLines(page)) {
      const { command, rest } = await resolve(words);
      expect(command.name(), `plumb ${words.join(' ')}`).not.toBe('plumb');
      // Behind -- the words are another program's.
      const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
      const known = command.options.flatMap((o) => [o.long, o.short]);
      for (const flag of own.filter((word) => word.startsWith('-')))
        expect(known, `plumb ${words.join(' ')}`).toContain(flag);
      for (const option of command.options.filter((o) => o.mandatory))
        expect(
          own.some((word) => word === option.long || word === option.short),
          `plumb ${words.join(' ')} lacks ${option.long}`,
        ).toBe(true);
    }
  });

  test('leads to pages and folders that there are', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g)].map((m) => m[1] ?? '');
    // Pictures are made from a real run, at the end.
    for (const link of links.filter((l) => !l.endsWith('.png')))
      expect(existsSync(join(root, dirname(page), link)), link).toBe(true);
  });
});

test('the README shows commands at all', () => {
  expect(commandLines('README.md').length).toBeGreaterThan(10);
});
