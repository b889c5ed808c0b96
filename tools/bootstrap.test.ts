import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildStamp, ensureBuild, isBuilt, listFiles } from './bootstrap/build.mjs';
import { installCommand, missingPackages, SYSTEM_NEEDS } from './bootstrap/debian.mjs';
import { exitCodeOf, type Runner } from './bootstrap/lifeline.mjs';
import { TASKS } from './bootstrap/main.mjs';
import { ensureNpmPackages, npmCommand, packagesAreThere } from './bootstrap/npm.mjs';
import { innerEnvironment, outerEnvironment, root } from './bootstrap/places.mjs';
import { refusalOf, thisMachine } from './bootstrap/platform.mjs';

let clone: string;
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {});
  clone = mkdtempSync(join(tmpdir(), 'plumb-bootstrap-'));
  for (const folder of ['node_modules', 'apps/cli/src', 'libs/model/src'])
    mkdirSync(join(clone, folder), { recursive: true });
  writeFileSync(join(clone, 'package-lock.json'), '{"lock":1}');
  writeFileSync(join(clone, 'package.json'), '{}');
  writeFileSync(join(clone, 'apps/cli/src/main.ts'), 'export {};\n');
});
afterEach(() => {
  rmSync(clone, { recursive: true, force: true });
  vi.restoreAllMocks();
});

/** Runs nothing: does what the test says in the program's place. */
function lifeThat(run: (argv: readonly string[]) => number): Runner & { ran: string[][] } {
  const ran: string[][] = [];
  return {
    ran,
    run: (argv) => {
      ran.push([...argv]);
      return Promise.resolve({ code: run(argv) });
    },
    throwIfStopped: () => {},
  };
}

describe('Debian packages', () => {
  test('each missing one is named once, and what is there is not', () => {
    const lacks =
      (...names: string[]) =>
      (need: string): boolean =>
        !names.includes(need);
    expect(missingPackages('start', () => true)).toEqual([]);
    expect(missingPackages('start', lacks('ip', 'ss', 'gcc'))).toEqual(['iproute2', 'gcc']);
    expect(missingPackages('start', lacks('tcpdump'))).toEqual([]);
    expect(missingPackages('test', lacks('tcpdump'))).toEqual(['tcpdump']);
    expect(missingPackages('build', () => false)).toEqual([]);
  });

  test('the command for a person installs exactly them', () => {
    expect(installCommand(['gcc', 'tcpdump'])).toBe(
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends gcc tcpdump',
    );
  });

  test('every program that is needed is found by its name or as a file', () => {
    for (const { needs } of SYSTEM_NEEDS) expect(needs).toMatch(/^([a-z0-9-]+|\/.+)$/);
    for (const name of [
      'redis-server',
      'iperf3',
      'iputils-ping',
      'iproute2',
      'ethtool',
      'gcc',
      'libc6-dev',
      'util-linux',
      'procps',
    ])
      expect(missingPackages('start', () => false)).toContain(name);
  });
});

describe('machines', () => {
  test('Linux with glibc on x64 and arm64 is taken, anything else gets a sentence', () => {
    expect(refusalOf({ platform: 'linux', arch: 'x64', glibc: '2.36' })).toBeUndefined();
    expect(refusalOf({ platform: 'linux', arch: 'arm64', glibc: '2.36' })).toBeUndefined();
    expect(refusalOf({ platform: 'darwin', arch: 'arm64', glibc: undefined })).toMatch(/runs on Linux.*darwin/);
    expect(refusalOf({ platform: 'linux', arch: 'riscv64', glibc: '2.36' })).toMatch(/riscv64/);
    expect(refusalOf({ platform: 'linux', arch: 'x64', glibc: undefined })).toMatch(/glibc/);
    expect(refusalOf(thisMachine())).toBeUndefined();
  });
});

describe('npm packages', () => {
  test('are installed once for a lock, and again when it changes', async () => {
    const life = lifeThat(() => 0);
    await ensureNpmPackages(life, clone, ['npm', 'ci']);
    await ensureNpmPackages(life, clone, ['npm', 'ci']);
    expect(life.ran).toEqual([['npm', 'ci']]);
    writeFileSync(join(clone, 'package-lock.json'), '{"lock":2}');
    await ensureNpmPackages(life, clone, ['npm', 'ci']);
    expect(life.ran).toHaveLength(2);
  });

  test('an installation that failed or was interrupted is done again', async () => {
    await ensureNpmPackages(
      lifeThat(() => 0),
      clone,
      ['npm', 'ci'],
    );
    writeFileSync(join(clone, 'package-lock.json'), '{"lock":2}');
    // Interrupted: the stamp of the old lock is gone while it works.
    const interrupted = lifeThat(() => {
      expect(() => readFileSync(join(clone, 'node_modules/.plumbline-lock'))).toThrow();
      return exitCodeOf('SIGINT');
    });
    await expect(ensureNpmPackages(interrupted, clone, ['npm', 'ci'])).rejects.toThrow(/npm ci failed/);
    writeFileSync(join(clone, 'package-lock.json'), '{"lock":1}');
    expect(packagesAreThere(clone)).toBe(false);
  });

  test('the npm that called us is used, unless it lies in what npm ci deletes', () => {
    const ours = { npm_execpath: '/nowhere/npm-cli.js', npm_node_execpath: process.execPath };
    expect(npmCommand(ours, clone)[0]).toBe('npm');
    const npm = join(clone, 'npm-cli.js');
    writeFileSync(npm, '');
    expect(npmCommand({ npm_execpath: npm, npm_node_execpath: '/bin/sh' }, clone).slice(0, 3)).toEqual([
      '/bin/sh',
      npm,
      'ci',
    ]);
    const inside = join(clone, 'node_modules/node');
    symlinkSync('/bin/sh', inside);
    expect(npmCommand({ npm_execpath: npm, npm_node_execpath: inside }, clone)[0]).toBe('npm');
  });

  test('npm gets a PATH without node_modules, everything else one that begins with the packaged Node', () => {
    const env = { PATH: `${root}/node_modules/.bin:/usr/bin:/bin` };
    expect(outerEnvironment(env).PATH).toBe('/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin');
    const inner = innerEnvironment(env).PATH.split(':');
    expect(inner.slice(0, 2)).toEqual([
      `${root}/node_modules/node-${process.platform}-${process.arch}/bin`,
      `${root}/node_modules/.bin`,
    ]);
    expect(inner.filter((folder) => folder === `${root}/node_modules/.bin`)).toHaveLength(1);
  });
});

describe('the build', () => {
  /** Writes what a build writes: output beside the sources, and a generated source. */
  const builds = (): number => {
    for (const folder of ['apps/cli/dist', 'libs/model/src/generated'])
      mkdirSync(join(clone, folder), { recursive: true });
    writeFileSync(join(clone, 'apps/cli/dist/main.js'), 'built');
    writeFileSync(join(clone, 'libs/model/src/generated/g.ts'), 'generated');
    return 0;
  };

  test('is skipped while nothing changed', async () => {
    const life = lifeThat(builds);
    await ensureBuild(life, clone, ['nx']);
    // What the lab compiles while it runs, and packages of a room's own, are no part of it.
    for (const folder of ['apps/lab/.plumbline', 'apps/cli/node_modules']) {
      mkdirSync(join(clone, folder), { recursive: true });
      writeFileSync(join(clone, folder, 'file'), '');
    }
    await ensureBuild(life, clone, ['nx']);
    expect(life.ran).toHaveLength(1);
    expect(listFiles(clone)).toEqual({
      sources: ['apps/cli/src/main.ts', 'package-lock.json', 'package.json'],
      made: ['apps/cli/dist/main.js', 'libs/model/src/generated/g.ts'],
    });
  });

  test.each<[string, () => void]>([
    ['a source was edited', () => writeFileSync(join(clone, 'apps/cli/src/main.ts'), 'export { };\n')],
    ['a source appeared', () => writeFileSync(join(clone, 'libs/model/src/new.ts'), '')],
    ['a source went', () => rmSync(join(clone, 'apps/cli/src/main.ts'))],
    ['the lock changed', () => writeFileSync(join(clone, 'package-lock.json'), '{"lock":2}')],
    ['an output went', () => rmSync(join(clone, 'apps/cli/dist'), { recursive: true })],
    ['an output was written by somebody else', () => writeFileSync(join(clone, 'apps/cli/dist/main.js'), 'BUILT')],
    ['something generated went', () => rmSync(join(clone, 'libs/model/src/generated/g.ts'))],
  ])('is done again when %s', async (_, change) => {
    await ensureBuild(lifeThat(builds), clone, ['nx']);
    expect(isBuilt(clone)).toBe(true);
    change();
    expect(isBuilt(clone)).toBe(false);
  });

  test('files only touched, with the same content, change nothing', async () => {
    await ensureBuild(lifeThat(builds), clone, ['nx']);
    for (const file of ['apps/cli/src/main.ts', 'apps/cli/dist/main.js']) utimesSync(join(clone, file), 1, 1);
    writeFileSync(join(clone, 'apps/cli/dist/.tsbuildinfo'), '{}');
    expect(isBuilt(clone)).toBe(true);
  });

  test('that failed, or while whose run a source was edited, is not taken for done', async () => {
    await expect(
      ensureBuild(
        lifeThat(() => 1),
        clone,
        ['nx'],
      ),
    ).rejects.toThrow(/build failed/);
    expect(isBuilt(clone)).toBe(false);
    const edited = lifeThat(() => {
      writeFileSync(join(clone, 'apps/cli/src/main.ts'), 'edited meanwhile');
      return builds();
    });
    await ensureBuild(edited, clone, ['nx']);
    expect(isBuilt(clone)).toBe(false);
  });

  test('knows everything that git does not keep as made, not as a source', () => {
    const ignored = readFileSync(join(root, '.gitignore'), 'utf8')
      .split('\n')
      .filter((line) => /^(apps|libs)\//.test(line));
    expect(ignored.length).toBeGreaterThan(0);
    for (const pattern of ignored) {
      const path = pattern.replace('*', 'some');
      const file = path.endsWith('.ts') ? path : `${path}/file.ts`;
      mkdirSync(join(clone, file, '..'), { recursive: true });
      writeFileSync(join(clone, file), '');
      expect(listFiles(clone).made).toContain(file);
    }
  });

  test('file names and contents cannot be confused with one another', () => {
    writeFileSync(join(clone, 'apps/cli/src/a'), 'bc');
    const first = buildStamp(clone).source;
    rmSync(join(clone, 'apps/cli/src/a'));
    writeFileSync(join(clone, 'apps/cli/src/ab'), 'c');
    expect(buildStamp(clone).source).not.toBe(first);
  });
});

test('every task of package.json is one of ours', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, script] of Object.entries(scripts)) {
    // exec: no shell stays between npm and us, and so a SIGINT that only npm gets reaches us.
    expect(script).toBe(`exec node tools/bootstrap.mjs ${name}`);
    expect(Object.keys(TASKS)).toContain(name);
  }
});
