import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './folder.js';

const dir = mkdtempSync(join(tmpdir(), 'plumb-folder-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('is made with its parents, for its owner alone, and may be there already', () => {
  makeFolder(join(dir, 'a', 'b', 'c'));
  makeFolder(join(dir, 'a', 'b', 'c'));
  for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(dir, made)).mode & 0o777).toBe(0o700);
});

test('where nothing can be made, that is said at once', () => {
  expect(() => makeFolder('/proc/plumbline/x')).toThrow(/ENOENT/);
  expect(() => makeFolder('/proc/plumbline')).toThrow(/ENOENT/);
});

test('where something else is, that is said', () => {
  writeFileSync(join(dir, 'file'), '');
  symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'));
  expect(() => makeFolder(join(dir, 'file'))).toThrow('it is not a folder');
  expect(() => makeFolder(join(dir, 'file', 'below'))).toThrow(/ENOTDIR/);
  expect(() => makeFolder(join(dir, 'dangling'))).toThrow(/EEXIST/);
});
