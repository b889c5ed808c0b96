import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeDataFolder } from './data-folder.js';

const dir = mkdtempSync(join(tmpdir(), 'plumb-data-folder-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('is made with its parents, for its owner alone; one that is there stays as it is', () => {
  makeDataFolder(join(dir, 'a', 'b', 'c'));
  for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(dir, made)).mode & 0o777).toBe(0o700);
  mkdirSync(join(dir, 'shared'), { mode: 0o750 });
  makeDataFolder(join(dir, 'shared'));
  makeDataFolder(join(dir, 'shared', 'd'));
  expect(statSync(join(dir, 'shared')).mode & 0o777).toBe(0o750);
});

test('a folder that cannot be made is said at once, and what to do', () => {
  writeFileSync(join(dir, 'file'), '');
  symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'));
  expect(() => makeDataFolder('/proc/plumbline/x')).toThrow(/The data folder \/proc\/plumbline\/x .*ENOENT.*Name a/);
  expect(() => makeDataFolder(join(dir, 'file'))).toThrow(/it is not a folder/);
  expect(() => makeDataFolder(join(dir, 'file', 'below'))).toThrow(/ENOTDIR/);
  expect(() => makeDataFolder(join(dir, 'dangling'))).toThrow(/ENOENT/);
});
