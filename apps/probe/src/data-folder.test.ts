import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess, startProcess } from '@plumbline/process';
import { afterAll, expect, test } from 'vitest';
import { Children } from './children.js';
import { openDataFolder } from './data-folder.js';

const root = mkdtempSync(join(tmpdir(), 'plumb-data-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('is private, locked while it is used, and free after', () => {
  const path = join(root, 'one');
  const folder = openDataFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(() => openDataFolder(path)).toThrow(/Another probe \(process \d+\)/);
  folder.release();
  openDataFolder(path).release();
});

test('that cannot be made is said at once', () => {
  expect(() => openDataFolder('/proc/plumbline/probe')).toThrow(
    /\/proc\/plumbline\/probe cannot be used \(ENOENT.*--data-dir/,
  );
});

test('the lock of a dead probe is taken over, and one whose pid somebody else has now', () => {
  const path = join(root, 'two');
  openDataFolder(path).release();
  const me = identifyProcess(process.pid);
  for (const stale of [{ ...me, pid: 2 ** 22 - 1 }, { ...me, startTicks: 1 }, 'rubbish']) {
    writeFileSync(join(path, 'lock'), JSON.stringify(stale));
    openDataFolder(path).release();
  }
});

test('temporary files of an earlier life are gone, the rest is kept', () => {
  const path = join(root, 'three');
  const folder = openDataFolder(path);
  writeFileSync(join(folder.temporary, 'secret'), 'x');
  writeFileSync(join(folder.spool, 'kept'), 'x');
  folder.release();
  const again = openDataFolder(path);
  expect([existsSync(join(again.temporary, 'secret')), existsSync(join(again.spool, 'kept'))]).toEqual([false, true]);
  again.release();
});

test('processes of an earlier life are ended by what was written down; those that ended are not looked for', async () => {
  const { children } = openDataFolder(join(root, 'four'));
  const [left, gone] = [startProcess({ argv: ['sleep', '300'] }), startProcess({ argv: ['sleep', '300'] })];
  const first = new Children(children);
  first.record(left.pid ?? 0);
  const forget = first.record(gone.pid ?? 0);
  forget();
  writeFileSync(join(children, '99.json'), '{"pid":');
  expect(await new Children(children).endLeftOvers()).toBe(1);
  expect(await left.result).toMatchObject({ signal: 'SIGKILL' });
  expect(await new Children(children).endLeftOvers()).toBe(0);
  expect(await gone.stop()).toMatchObject({ outcome: 'aborted' });
});
