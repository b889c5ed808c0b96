import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './bootstrap/places.mjs';

// The bootstrap itself, on machines that lack something.
let bare: string;
beforeAll(() => {
  bare = mkdtempSync(join(tmpdir(), 'plumb-setup-'));
  chmodSync(bare, 0o755);
  mkdirSync(join(bare, 'bin'));
  for (const [name, file] of [
    ['node', process.execPath],
    ['apt-get', '/bin/true'],
    ['sh', '/bin/sh'],
  ] as const)
    symlinkSync(file, join(bare, 'bin', name));
});
afterAll(() => rmSync(bare, { recursive: true, force: true }));

/** A plain user with no sudo, whose PATH holds only Node and apt-get. It may still read this clone, which can be root's own. */
function asPlainUser(...args: string[]): { status: number | null; said: string } {
  const become = ['--reuid=65534', '--regid=65534', '--clear-groups'];
  const keep = ['--inh-caps=-all,+dac_read_search', '--ambient-caps=-all,+dac_read_search'];
  const user = process.getuid?.() === 0 ? ['/usr/bin/setpriv', ...become, ...keep] : ['/usr/bin/env'];
  const [program = '', ...rest] = [...user, process.execPath, join(root, 'tools/bootstrap.mjs'), ...args];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    cwd: '/',
    encoding: 'utf8',
    timeout: 15_000,
    env: { PATH: join(bare, 'bin') },
  });
  return { status, said: `${stdout}${stderr}` };
}

test('a plain user who cannot install gets the exact command, and nothing is begun', () => {
  const { status, said } = asPlainUser('start');
  expect(status).toBe(1);
  const command = /^ {2}sudo apt-get update && sudo apt-get install -y --no-install-recommends (.+)$/m.exec(said)?.[1];
  expect(command?.split(' ')).toEqual(expect.arrayContaining(['redis-server', 'iperf3', 'iputils-ping', 'gcc']));
  expect(command).not.toContain('tcpdump');
  expect(said).not.toMatch(/Installing|Building|at .*\.mjs/);
});

test('the tests need more than the start', () => {
  expect(asPlainUser('test').said).toMatch(/install .*\btcpdump\b/);
});

test('an unknown task is refused with those there are', () => {
  expect(asPlainUser('strat')).toMatchObject({
    status: 2,
    said: expect.stringContaining('start, test, test:full, check, bench, build'),
  });
});

test('an old Node gets a sentence, not a stack', () => {
  const old = `Object.defineProperty(process.versions, 'node', { value: '18.19.0' });
    import(${JSON.stringify(join(root, 'tools/bootstrap.mjs'))});`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', old], {
    encoding: 'utf8',
    timeout: 15_000,
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Plumbline needs Node 20 or newer to start itself; this is Node 18\.19\.0\.$/m);
  expect(stderr).not.toMatch(/\n\s+at /);
});
