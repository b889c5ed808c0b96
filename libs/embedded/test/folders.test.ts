import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { serverAccount } from '../src/account.js';
import { BoundedLog } from '../src/bounded-log.js';
import { dataFolder, privateFolder } from '../src/folder.js';
import { LONGEST_SOCKET_PATH_BYTES, reachableFolder, removeShortcut } from '../src/socket-path.js';
import { temporary } from './stack.js';

const { dir, remove } = temporary();
afterAll(remove);

describe('a bounded log', () => {
  test('keeps what came last and never more than twice its bound', () => {
    const file = join(dir, 'bounded.log');
    const log = new BoundedLog(file, 1000);
    for (let i = 0; i < 500; i++) {
      log.append(Buffer.from(`line ${i}\n`));
      const sizes = [file, `${file}.1`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    }
    const kept = readFileSync(`${file}.1`, 'utf8') + readFileSync(file, 'utf8');
    expect(kept).toMatch(/line 498\nline 499\n$/);
    expect(log.lastLines(2)).toBe('line 498 | line 499');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('goes on from what an earlier life wrote', () => {
    const file = join(dir, 'continued.log');
    writeFileSync(file, 'x'.repeat(990));
    new BoundedLog(file, 1000).append(Buffer.from('more than ten bytes\n'));
    expect(readFileSync(file, 'utf8')).toBe('more than ten bytes\n');
    expect(statSync(`${file}.1`).size).toBe(990);
  });

  test('a folder that is gone ends nobody', () => {
    const log = new BoundedLog(join(dir, 'nowhere', 'x.log'));
    expect(() => log.append(Buffer.from('still told\n'))).not.toThrow();
    expect(log.lastLines(1)).toBe('still told');
  });
});

describe('a private folder', () => {
  test('is 0700 whatever it was', () => {
    const folder = join(dir, 'lax');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(statSync(privateFolder(folder)).mode & 0o777).toBe(0o700);
  });

  test('that cannot be made is said at once', () => {
    expect(() => dataFolder('/proc/plumbline/x')).toThrow(/\/proc\/plumbline\/x cannot be used \(ENOENT/);
    expect(() => privateFolder('/proc/plumbline')).toThrow(/cannot be used/);
  });

  test('is never a link to somewhere else', () => {
    const link = join(dir, 'link');
    symlinkSync('/', link);
    expect(() => privateFolder(link)).toThrow(/it is not a folder/);
  });
});

describe('the name of a socket', () => {
  const folderOfLength = (bytes: number): string => join('/', 'x'.repeat(bytes - 1));
  const room = LONGEST_SOCKET_PATH_BYTES - '/s.sock'.length;

  test('is its own where 107 bytes suffice', () => {
    expect(reachableFolder(folderOfLength(room), 's.sock')).toEqual({ folder: folderOfLength(room) });
  });

  test('one byte more: a short way round in a 0700 folder, removed without touching what it leads to', () => {
    const long = join(dir, 'é'.repeat(50), 'y'.repeat(20));
    mkdirSync(long, { recursive: true });
    writeFileSync(join(long, 'kept'), '');
    const { folder, shortcut } = reachableFolder(long, 's.sock');
    expect(Buffer.byteLength(join(folder, 's.sock'))).toBeLessThanOrEqual(LONGEST_SOCKET_PATH_BYTES);
    expect(existsSync(join(folder, 'kept'))).toBe(true);
    expect(dirname(folder)).toBe(shortcut);
    expect(statSync(shortcut ?? '').mode & 0o777).toBe(0o700);
    removeShortcut(shortcut);
    expect(existsSync(shortcut ?? '')).toBe(false);
    expect(existsSync(join(long, 'kept'))).toBe(true);
    removeShortcut(shortcut);
  });

  test('a record that names another folder removes nothing', () => {
    const precious = join(dir, 'precious');
    mkdirSync(precious);
    removeShortcut(precious);
    const full = join(dir, 'plumbline-full');
    mkdirSync(full);
    writeFileSync(join(full, 'file'), '');
    removeShortcut(full);
    expect([existsSync(precious), existsSync(join(full, 'file'))]).toEqual([true, true]);
  });
});

if (process.getuid?.() === 0) {
  describe('the account, as root', () => {
    const passwd = (text: string): string => {
      const file = join(dir, `passwd-${text.length}`);
      writeFileSync(file, text);
      return file;
    };
    test('postgres before nobody, and whoever owns the folder before both', () => {
      const both = passwd('root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\npostgres:x:101:104::/:/bin/sh\n');
      expect(serverAccount(join(dir, 'not-yet'), both)).toEqual({ uid: 101, gid: 104 });
      expect(serverAccount(privateFolder(join(dir, 'owned'), { uid: 1234, gid: 1235 }), both)).toEqual({
        uid: 1234,
        gid: 1235,
      });
      expect(serverAccount(privateFolder(join(dir, 'roots')), both)).toEqual({ uid: 101, gid: 104 });
      expect(serverAccount(join(dir, 'not-yet'), passwd('nobody:x:65534:65534::/:/bin/sh\n'))).toEqual({
        uid: 65534,
        gid: 65534,
      });
    });
    test('neither there: the sentence says what to do', () => {
      expect(() => serverAccount(join(dir, 'not-yet'), passwd('root:x:0:0::/:/bin/sh\n'))).toThrow(
        /adduser --system postgres/,
      );
    });
  });
} else {
  test('a plain user runs the servers itself', () => {
    expect(serverAccount(dir)).toEqual({});
  });
}
