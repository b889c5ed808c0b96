import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from './bootstrap/places.mjs';
import { closingLine, exitCodeFor, tallyOf } from './gate/tally.mjs';

describe('the closing line', () => {
  test('is what CI reads', () => {
    expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed');
    expect(closingLine({ passed: 12, failed: 1, skipped: 3 })).toBe('12 passed, 1 failed, 3 skipped');
  });
  test('success needs a test that passed, none that failed, and an end of its own', () => {
    expect(exitCodeFor({ passed: 1, failed: 0, skipped: 0 }, undefined)).toBe(0);
    expect(exitCodeFor({ passed: 1, failed: 1, skipped: 0 }, undefined)).toBe(1);
    expect(exitCodeFor({ passed: 0, failed: 0, skipped: 9 }, undefined)).toBe(1);
    expect(exitCodeFor({ passed: 1, failed: 0, skipped: 0 }, 'SIGINT')).toBe(130);
  });
});

describe("what vitest's report counts as", { timeout: 60_000 }, () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'plumb-gate-test-'));
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs the real vitest on these files and counts its report. */
  function count(files: Record<string, string>, mayBeEmpty = false): ReturnType<typeof tallyOf> {
    const suite = mkdtempSync(join(dir, 'suite-'));
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(suite, name), `import { beforeAll, expect, it, test } from 'vitest';\n${text}`);
    }
    const report = join(suite, 'report.json');
    const argv = ['run', '--root', suite, '--allowOnly=false', '--reporter=json', `--outputFile.json=${report}`];
    const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...argv], {
      cwd: suite,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    return tallyOf(existsSync(report) ? readFileSync(report, 'utf8') : undefined, status ?? 1, { mayBeEmpty });
  }
  const PASSES = `test('passes', () => {});`;

  test('tests one by one; and each file that does not load, whose hook throws, that has a lonely test (.only) or none', () => {
    const tally = count({
      'a.test.ts': `${PASSES} test('fails', () => expect(1).toBe(2)); test.skip('skipped', () => {}); test.todo('planned');`,
      'b.test.ts': PASSES,
      'broken.test.ts': `throw new Error('does not load');`,
      'hook.test.ts': `beforeAll(() => { throw new Error('hook'); }); ${PASSES}`,
      'lonely.test.ts': `${PASSES} test.${'only'}('alone', () => {});`,
      'empty.test.ts': '',
    });
    expect(tally).toMatchObject({ passed: 2, failed: 5 });
    // The lonely test fails by itself. The one behind the hook never ran.
    expect(tally.skipped).toBeGreaterThanOrEqual(2);
    for (const file of ['broken', 'hook', 'empty'])
      expect(tally.reasons).toContainEqual(expect.stringContaining(`${file}.test.ts failed outside of its tests`));
  });

  test('a test that passes only at the second try is named; a failed one as well, with what it said', () => {
    const tally = count({
      'a.test.ts': `let n = 0; test('second', { retry: 1 }, () => expect(n++, 'which try').toBe(1));
        test('never', { retry: 1 }, () => expect(1, 'never equal').toBe(2));`,
    });
    expect(tally).toMatchObject({ passed: 1, failed: 1 });
    expect(tally.unsteady).toEqual([expect.stringMatching(/a\.test\.ts > second: .*which try/)]);
    expect(tally.reasons).toEqual([expect.stringMatching(/a\.test\.ts > never: .*never equal/)]);
  });

  test('many tests that need the second try are a failure', () => {
    const unsteady = { status: 'passed', fullName: 'x', failureMessages: ['once'] };
    const report = (n: number) => {
      const assertionResults = Array.from({ length: n }, () => unsteady);
      return JSON.stringify({ success: true, testResults: [{ name: 'a', status: 'passed', assertionResults }] });
    };
    expect(tallyOf(report(3), 0, { mayBeEmpty: false })).toMatchObject({ passed: 3, failed: 0 });
    expect(tallyOf(report(4), 0, { mayBeEmpty: false })).toMatchObject({ passed: 4, failed: 1 });
  });

  test('an error outside of any test is a failure', () => {
    const later = `setTimeout(() => { throw new Error('later'); }); test('waits', () => new Promise((r) => setTimeout(r, 50)));`;
    expect(count({ 'a.test.ts': `${PASSES} ${later}` })).toMatchObject({ passed: 2, failed: 1 });
  });

  test('no test at all is a failure, unless a filter asked for few', () => {
    const nothing = JSON.stringify({ success: true, testResults: [] });
    expect(tallyOf(nothing, 0, { mayBeEmpty: false })).toMatchObject({ passed: 0, failed: 1 });
    expect(tallyOf(nothing, 0, { mayBeEmpty: true })).toMatchObject({ failed: 0 });
  });

  test('a runner that died, or left half a report, is a failure', () => {
    expect(tallyOf(undefined, 137, { mayBeEmpty: true })).toMatchObject({ passed: 0, failed: 1 });
    expect(tallyOf('{"testResults": [', 0, { mayBeEmpty: false })).toMatchObject({ passed: 0, failed: 1 });
  });
});
