import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

// The rules of .dependency-cruiser.mjs see planted violations: a rule that never fires is worse than none.
const root = fileURLToPath(new URL('..', import.meta.url));
const cruiser = join(root, 'node_modules/.bin/depcruise');
let clone: string;

const Report = z.object({
  summary: z.object({
    violations: z.array(
      z.object({ from: z.string(), to: z.string(), rule: z.object({ name: z.string(), severity: z.string() }) }),
    ),
    ruleSetUsed: z.object({ forbidden: z.array(z.object({ name: z.string() })) }),
  }),
});

/** A file of the planted clone that breaks a rule: its text, and the rule. */
const PLANTED: Record<string, { text: string; rule: string }> = {
  'libs/model/src/a.ts': { text: `import '@plumbline/analysis';`, rule: 'imports-of-model' },
  'libs/analysis/src/a.ts': { text: `import '@plumbline/measure';`, rule: 'imports-of-analysis' },
  'libs/measure/src/a.ts': { text: `import '@plumbline/plans';`, rule: 'imports-of-measure' },
  'libs/plans/src/a.ts': { text: `import '@plumbline/analysis';`, rule: 'imports-of-plans' },
  'libs/process/src/a.ts': { text: `import '@plumbline/probe-rpc';`, rule: 'imports-of-process' },
  'libs/probe-rpc/src/a.ts': { text: `import '@plumbline/measure';`, rule: 'imports-of-probe-rpc' },
  'libs/embedded/src/a.ts': { text: `import '@plumbline/control-plane';`, rule: 'imports-of-embedded' },
  'libs/api-client/src/a.ts': { text: `import '@plumbline/control-plane';`, rule: 'imports-of-api-client' },
  'apps/lab/src/a.ts': { text: `import '@plumbline/probe';`, rule: 'imports-of-lab' },
  'apps/probe/src/a.ts': { text: `import '@plumbline/analysis';`, rule: 'imports-of-probe' },
  'apps/control-plane/src/a.ts': { text: `import '@plumbline/embedded';`, rule: 'imports-of-control-plane' },
  'apps/console/src/a.tsx': { text: `import '@plumbline/process';`, rule: 'imports-of-console' },
  'apps/cli/src/a.ts': { text: `import '@plumbline/plans';`, rule: 'imports-of-cli' },
  // A type alone ties rooms together as well, and so does a late import.
  'libs/model/src/b.ts': {
    text: `import type { N } from '@plumbline/plans'; export type M = N;`,
    rule: 'imports-of-model',
  },
  'apps/probe/src/b.ts': { text: `export const late = () => import('@plumbline/plans');`, rule: 'imports-of-probe' },
  'libs/process/src/c.ts': { text: `import '../../../tools/tool.mjs';`, rule: 'imports-of-process' },
  'apps/cli/src/c.ts': { text: `import '@plumbline/testing';`, rule: 'testing-only-in-tests' },
  'libs/newcomer/src/index.ts': { text: `import '@plumbline/model';`, rule: 'known-rooms' },
  'apps/cli/src/d.ts': { text: `import '../../probe/src/secret.js';`, rule: 'entry-points-only' },
  'apps/control-plane/test/e.test.ts': {
    text: `import '../../../libs/testing/src/secret.js';`,
    rule: 'entry-points-only',
  },
  'apps/cli/src/f.ts': { text: `import '../../../libs/model/src/index.js';`, rule: 'by-package-name' },
  'libs/analysis/src/g.ts': { text: `import 'node:fs';`, rule: 'pure-no-node' },
  'libs/measure/src/g.ts': { text: `import { join } from 'path'; join('a');`, rule: 'pure-no-node' },
  'libs/plans/src/h.ts': { text: `import '@nestjs/common';`, rule: 'pure-no-nest' },
  'libs/model/src/i.ts': { text: `import '@prisma/client';`, rule: 'pure-no-prisma' },
  'apps/control-plane/src/j.ts': { text: `import 'node:child_process';`, rule: 'only-process-starts-processes' },
  'libs/embedded/src/j.ts': {
    text: `import { spawn } from 'child_process'; spawn('x');`,
    rule: 'only-process-starts-processes',
  },
  'libs/process/src/k.ts': { text: `import './l.js'; export const k = 1;`, rule: 'no-circular' },
  'apps/lab/src/m.ts': { text: `import './gone.js';`, rule: 'no-unresolvable' },
};

/** What must be allowed: a rule that forbids everything would pass the test above. */
const ALLOWED: Record<string, string> = {
  'libs/process/src/run.ts': `import { spawn } from 'node:child_process'; spawn('x');`,
  'libs/measure/src/ok.ts': `import '@plumbline/model'; import '@plumbline/analysis'; import 'zod';`,
  'libs/measure/src/ok.test.ts': `import 'node:fs'; import '@plumbline/testing';`,
  'libs/measure/test/ok.ts': `import 'node:child_process'; import '@plumbline/process';`,
  'apps/control-plane/test/ok.integration.test.ts': `import '@plumbline/embedded'; import '@plumbline/testing';`,
  'apps/control-plane/bench/ok.bench.ts': `import '@plumbline/embedded';`,
  'apps/cli/src/ok.ts': `import '@plumbline/control-plane'; import '@plumbline/probe'; import '@plumbline/lab';`,
  'apps/console/src/ok.tsx': `import '@plumbline/model'; import '@plumbline/api-client';`,
  'libs/testing/src/ok.ts': `import '@plumbline/plans'; import '@plumbline/embedded'; import 'node:fs';`,
  'tools/tool.mjs': `import 'node:child_process';`,
};
const ROOMS = [
  ...[
    'model',
    'analysis',
    'measure',
    'plans',
    'process',
    'probe-rpc',
    'embedded',
    'api-client',
    'testing',
    'newcomer',
  ].map((name) => `libs/${name}`),
  ...['lab', 'probe', 'control-plane', 'console', 'cli'].map((name) => `apps/${name}`),
];

function write(file: string, text: string): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true });
  writeFileSync(join(clone, file), `${text}\n`);
}

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'plumb-rules-'));
  cpSync(join(root, 'tsconfig.base.json'), join(clone, 'tsconfig.base.json'));
  write('package.json', '{ "type": "module" }');
  mkdirSync(join(clone, 'node_modules/@plumbline'), { recursive: true });
  for (const name of ['zod', '@nestjs', '@prisma', 'typescript']) {
    symlinkSync(join(root, 'node_modules', name), join(clone, 'node_modules', name));
  }
  for (const room of ROOMS) {
    const name = room.replace(/^.*\//, '');
    const exports = { '.': { '@plumbline/source': './src/index.ts' } };
    write(`${room}/package.json`, JSON.stringify({ name: `@plumbline/${name}`, type: 'module', exports }));
    write(`${room}/src/index.ts`, 'export type N = 1;');
    write(`${room}/src/secret.ts`, 'export {};');
    symlinkSync(join(clone, room), join(clone, 'node_modules/@plumbline', name));
  }
  for (const [file, text] of Object.entries(ALLOWED)) write(file, text);
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

function cruise(): z.output<typeof Report>['summary'] {
  const argv = ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'apps', 'libs', 'tools'];
  const { stdout, stderr } = spawnSync(cruiser, argv, { cwd: clone, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (stdout === '') throw new Error(stderr);
  return Report.parse(JSON.parse(stdout)).summary;
}

test('what the house allows is allowed', () => {
  expect(cruise().violations).toEqual([]);
});

test('every rule fires on the violation planted for it, as an error', () => {
  for (const [file, { text }] of Object.entries(PLANTED)) write(file, text);
  // The other half of the cycle, which is told once.
  write('libs/process/src/l.ts', `import { k } from './k.js'; console.log(k);`);
  const { violations, ruleSetUsed } = cruise();
  const fired = new Set(violations.map(({ from, rule }) => `${rule.name} in ${from}`));
  const expected = Object.entries(PLANTED).map(([file, { rule }]) => `${rule} in ${file}`);
  expect(expected.filter((one) => !fired.has(one))).toEqual([]);
  expect(violations.filter(({ rule }) => rule.severity !== 'error')).toEqual([]);
  // Nothing that is allowed is caught with them.
  expect(violations.filter(({ from }) => from in ALLOWED)).toEqual([]);
  // A new rule needs a violation here.
  const planted = new Set(Object.values(PLANTED).map(({ rule }) => rule));
  expect(ruleSetUsed.forbidden.map(({ name }) => name).filter((name) => !planted.has(name))).toEqual([]);
});

test('a violation makes the command fail', () => {
  const argv = ['--config', join(root, '.dependency-cruiser.mjs'), 'libs/model'];
  write('libs/model/src/g.ts', `import 'node:fs';`);
  expect(() => execFileSync(cruiser, argv, { cwd: clone, stdio: 'ignore' })).toThrow();
});
