import { chmod, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from '@plumbline/process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildEmulator, whyNoEmulator } from '../src/emulator-build.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-build-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function fakeCompiler(script: string): Promise<string> {
  const compiler = join(folder, 'compiler');
  await writeFile(compiler, `#!/bin/sh\n${script}\n`);
  await chmod(compiler, 0o755);
  return compiler;
}

test('compiled at the first use, once for everybody, with nothing else left in the cache', async () => {
  const cache = join(folder, 'cache');
  const [first, second] = await Promise.all([buildEmulator({ caches: [cache] }), buildEmulator({ caches: [cache] })]);
  expect(second).toBe(first);
  expect(await readdir(cache)).toHaveLength(1);
  // The second use needs no compiler.
  expect(await buildEmulator({ caches: [cache], compiler: 'no-such-compiler' })).toBe(first);
  const usage = await runProcess({ argv: [first, '--mtu', '9999999'], timeoutMs: 5000 });
  expect(usage.exitCode).toBe(2);
  expect(usage.stderr.toString()).toContain('usage: wan --a NETNS:INTERFACE');
});

test('without a compiler it says what to install', async () => {
  const tools = { caches: [join(folder, 'cache')], compiler: 'no-such-compiler' };
  expect(await whyNoEmulator(tools)).toContain('apt-get install -y --no-install-recommends gcc libc6-dev');
  await expect(buildEmulator(tools)).rejects.toMatchObject({ code: 'compiler-missing' });
});

test('without the C library headers it says what to install', async () => {
  const compiler = await fakeCompiler('echo "tap.c:4:10: fatal error: errno.h: No such file or directory" >&2; exit 1');
  await expect(buildEmulator({ caches: [join(folder, 'cache')], compiler })).rejects.toMatchObject({
    code: 'compiler-missing',
    message: expect.stringContaining('libc6-dev'),
  });
});

test('another failure of the compiler is told in its words, and what it left is removed, also later', async () => {
  const cache = join(folder, 'cache');
  const compiler = await fakeCompiler('echo "internal compiler error" >&2; exit 4');
  await expect(buildEmulator({ caches: [cache], compiler })).rejects.toMatchObject({
    code: 'compile-failed',
    message: expect.stringContaining('internal compiler error'),
  });
  expect(await readdir(cache)).toEqual([]);
  // A compilation that was killed an hour ago.
  await writeFile(join(cache, '.unfinished-abc'), '');
  await utimes(join(cache, '.unfinished-abc'), new Date(0), new Date(0));
  await expect(buildEmulator({ caches: [cache], compiler })).rejects.toThrow();
  expect(await readdir(cache)).toEqual([]);
});

test('a cache that cannot be written is passed over; when none can, it says so', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const compiler = await fakeCompiler('exit 4');
  await expect(buildEmulator({ caches: [join(file, 'cache')], compiler })).rejects.toThrow(/no folder to go to/);
});
