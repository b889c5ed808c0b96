import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ancestorsUpToNpm, isAlive, readStat } from './bootstrap/ancestors.mjs';
import { outerEnvironment, root } from './bootstrap/places.mjs';

// Real processes: `boot` runs `child` through the Lifeline, as the bootstrap runs plumb.
let dir: string;
const started: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plumb-lifeline-'));
  writeFileSync(
    join(dir, 'boot.mjs'),
    `import { Lifeline } from ${JSON.stringify(join(root, 'tools/bootstrap/lifeline.mjs'))};
     const life = new Lifeline({ graceMs: Number(process.env.GRACE_MS ?? 10_000), watchMs: 20 });
     const { code } = await life.run([process.execPath, ${JSON.stringify(join(dir, 'child.mjs'))}, ...process.argv.slice(2)]);
     process.exitCode = code;
     life.dispose();`,
  );
  // Writes down each signal it gets, and ends 100 ms after the first, with exit code 7.
  writeFileSync(
    join(dir, 'child.mjs'),
    `import { appendFileSync, writeFileSync } from 'node:fs';
     const [mode, ...rest] = process.argv.slice(2);
     if (mode === 'exit') process.exit(Number(rest[0]));
     if (mode === 'signal') process.kill(process.pid, rest[0]);
     for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
       process.on(name, () => {
         appendFileSync('signals', name + ' ');
         if (mode !== 'stubborn') setTimeout(() => process.exit(7), 100);
       });
     writeFileSync('child.pid.new', String(process.pid));
     writeFileSync('arguments', JSON.stringify(rest));
     (await import('node:fs')).renameSync('child.pid.new', 'child.pid');
     setInterval(() => {}, 1000);`,
  );
});
afterEach(() => {
  for (const { pid } of started.splice(0)) if (pid !== undefined) kill(pid, 'SIGKILL');
  if (existsSync(join(dir, 'child.pid'))) kill(childPid(), 'SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
const childPid = (): number => Number(readFileSync(join(dir, 'child.pid'), 'utf8'));
const signals = (): string =>
  existsSync(join(dir, 'signals')) ? readFileSync(join(dir, 'signals'), 'utf8').trim() : '';
const isGone = (pid: number): boolean => {
  const stat = readStat(pid);
  return stat === undefined || stat.state === 'Z';
};

/** Waits for `condition`, at most 10 s. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen within 10 s`);
    await delay(10);
  }
}

function start(
  argv: readonly string[],
  env: Record<string, string> = {},
): ChildProcess & { ended: Promise<number | string | null> } {
  const [program = '', ...args] = argv;
  const inherited = Object.entries(outerEnvironment(process.env)).filter(([name]) => !name.startsWith('npm_'));
  const child = spawn(program, args, {
    cwd: dir,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: 'ignore',
    detached: true,
  });
  started.push(child);
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  );
  return Object.assign(child, { ended });
}
const boot = (args: readonly string[], env: Record<string, string> = {}): ReturnType<typeof start> =>
  start([process.execPath, join(dir, 'boot.mjs'), ...args], env);
const childIsUp = (): Promise<void> => until(() => existsSync(join(dir, 'child.pid')), 'the start of the child');

describe('exit codes', () => {
  test('are passed through, a signal as a shell tells it', async () => {
    expect(await boot(['exit', '0']).ended).toBe(0);
    expect(await boot(['exit', '42']).ended).toBe(42);
    expect(await boot(['signal', 'SIGKILL']).ended).toBe(137);
  });
  test('arguments reach the child as they are', async () => {
    boot(['serve', '--once', '--data-dir', 'a b']);
    await childIsUp();
    expect(JSON.parse(readFileSync(join(dir, 'arguments'), 'utf8'))).toEqual(['--once', '--data-dir', 'a b']);
  });
});

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s to the bootstrap alone reaches the child once, and its exit code comes back',
    async (signal) => {
      const life = boot(['serve']);
      await childIsUp();
      kill(life.pid ?? 0, signal);
      expect(await life.ended).toBe(7);
      expect(signals()).toBe(signal);
    },
  );

  test('Ctrl-C, which reaches the whole group and comes again from npm, reaches the child once', async () => {
    const life = boot(['serve']);
    await childIsUp();
    process.kill(-(life.pid ?? 0), 'SIGINT');
    await delay(30);
    kill(life.pid ?? 0, 'SIGINT');
    expect(await life.ended).toBe(7);
    expect(signals()).toBe('SIGINT');
  });

  test('told again a second later it is passed on again, the third time the child is killed', async () => {
    const life = boot(['stubborn']);
    await childIsUp();
    for (const expected of ['SIGINT', 'SIGINT SIGINT']) {
      kill(life.pid ?? 0, 'SIGINT');
      await until(() => signals() === expected, expected);
      await delay(1050);
    }
    kill(life.pid ?? 0, 'SIGINT');
    expect(await life.ended).toBe(137);
  });

  test('a child that does not end is killed after its grace', async () => {
    const life = boot(['stubborn'], { GRACE_MS: '200' });
    await childIsUp();
    kill(life.pid ?? 0, 'SIGTERM');
    expect(await life.ended).toBe(137);
    expect(signals()).toBe('SIGTERM');
  });

  test('a closed terminal ends it in order', async () => {
    const life = boot(['serve']);
    await childIsUp();
    kill(life.pid ?? 0, 'SIGHUP');
    expect(await life.ended).toBe(7);
    expect(signals()).toBe('SIGTERM');
  });
});

describe('a death', () => {
  test("the bootstrap's own, by SIGKILL: the kernel tells the child to end", async () => {
    const life = boot(['serve']);
    await childIsUp();
    kill(life.pid ?? 0, 'SIGKILL');
    await until(() => isGone(childPid()), "the child's end");
    // The kernel hands the child from one dying thread of ours to the next, and may tell it each time.
    expect(signals()).toMatch(/^SIGTERM( SIGTERM)*$/);
  });

  // With the real npm; in the second script its shell stays between it and us.
  test.each(['exec node boot.mjs', 'node boot.mjs serve; exit $?'])("npm's, by SIGKILL, running %s", async (script) => {
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'x', scripts: { start: script } }));
    const npm = start(['npm', 'start', '--', 'serve']);
    await childIsUp();
    const between = parentsOf(childPid());
    expect(between).toContain(npm.pid);
    const boots = between.slice(0, between.indexOf(npm.pid ?? 0) + 1);
    kill(npm.pid ?? 0, 'SIGKILL');
    await until(() => isGone(childPid()), "the child's end");
    expect(signals()).toBe('SIGTERM');
    await until(() => boots.every(isGone), 'the end of everything between');
  });

  test.each([
    ['Ctrl-C, which npm, its shell and we all get', (npm: number) => process.kill(-npm, 'SIGINT')],
    ['SIGINT to npm alone', (npm: number) => process.kill(npm, 'SIGINT')],
  ])('%s: child, bootstrap and npm end in this order, and the child hears it once', async (_, interrupt) => {
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'x', scripts: { start: 'exec node boot.mjs' } }));
    const npm = start(['npm', 'start', '--', 'serve']);
    await childIsUp();
    interrupt(npm.pid ?? 0);
    // npm ends by the signal that it got, or as its child did; after it in any case.
    expect(['SIGINT', 7]).toContain(await npm.ended);
    expect(signals()).toBe('SIGINT');
    expect(isGone(childPid())).toBe(true);
  });

  test('SIGTERM to npm alone ends everything', async () => {
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'x', scripts: { start: 'exec node boot.mjs' } }));
    const npm = start(['npm', 'start', '--', 'serve']);
    await childIsUp();
    process.kill(npm.pid ?? 0, 'SIGTERM');
    await npm.ended;
    await until(() => isGone(childPid()), "the child's end");
    expect(signals()).toBe('SIGTERM');
  });
});

function parentsOf(pid: number): number[] {
  const parent = readStat(pid)?.parent ?? 0;
  return parent > 1 ? [parent, ...parentsOf(parent)] : [];
}

describe('ancestors', () => {
  test('without npm the parent alone; of init nobody', () => {
    expect(ancestorsUpToNpm(process.pid, {}).map(({ pid }) => pid)).toEqual([process.pid]);
    expect(ancestorsUpToNpm(1, {})).toEqual([]);
  });
  test('a pid with another start time is another process', () => {
    const [self] = ancestorsUpToNpm(process.pid, {});
    if (!self) throw new Error('we are here');
    expect(isAlive(self)).toBe(true);
    expect(isAlive({ ...self, startTicks: '1' })).toBe(false);
  });
});
