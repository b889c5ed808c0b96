import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommands } from './commands.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-commands-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('each command has its own answer, on both streams (A44), whatever the others do, and nothing is left', async () => {
  const answers = await runCommands(
    [
      ['printf', '%s', 'it\'s; $HOME `id` "quoted"\nline'],
      ['sh', '-c', 'echo no such device >&2; exit 2'],
      ['no-such-program-here'],
      ['sleep', '30'],
    ],
    folder,
  );
  expect(answers.map(({ text, error }) => ({ text, error }))).toEqual([
    { text: 'it\'s; $HOME `id` "quoted"\nline', error: '' },
    { text: '', error: 'no such device' },
    { text: '', error: 'no-such-program-here is not installed' },
    { text: '', error: 'sleep did not answer within 1000 ms' },
  ]);
  expect(answers[1]?.printed).toContain('no such device');
  expect(readdirSync(folder)).toEqual([]);
});
