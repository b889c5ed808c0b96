import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { keepShellsWaiting, type ProcessSpec, runProcess, startProcess } from './index.js';

beforeEach(() => keepShellsWaiting(2));
afterAll(() => keepShellsWaiting(0));

const run = (argv: ProcessSpec['argv'], more: Partial<ProcessSpec> = {}) =>
  runProcess({ argv, atOnce: true, timeoutMs: 10_000, ...more });
const parentOf = (pid: number): string | undefined =>
  readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1];

describe('a program that a waiting shell becomes', () => {
  test('gets its words as they are, an empty stdin, and ends as it would', async () => {
    const words = [`it's`, '$HOME `id` "x"', 'two\nlines', '', '*', '\\', 'ü☃', '--'];
    const script =
      'process.stdout.write(JSON.stringify([process.argv.slice(1), require("fs").readFileSync(0, "utf8")]))';
    const result = await run([process.execPath, '-e', script, '--', ...words]);
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expect(JSON.parse(result.stdout.toString())).toEqual([words, '']);
    expect(await run(['sh', '-c', 'echo out; echo err >&2; exit 7'])).toMatchObject({
      outcome: 'exited',
      exitCode: 7,
      stdout: Buffer.from('out\n'),
      stderr: Buffer.from('err\n'),
    });
  });

  test('has the minimal environment and what was added, and no word of that in its argv', async () => {
    const env = { SECRET: `se'cret $x` };
    const result = await run(['sh', '-c', 'printf %s "$SECRET|$LC_ALL"; tr "\\0" " " </proc/$$/cmdline'], { env });
    expect(result.stdout.toString()).toMatch(/^se'cret \$x\|C/);
    expect(result.stdout.toString().split('|')[1]).not.toContain('cret');
  });

  test('is the same process from the start: a child of ours, the leader of its group, ended with its group', async () => {
    const running = startProcess({ argv: ['sh', '-c', 'sleep 60 & sleep 60'], atOnce: true });
    expect(parentOf(running.pid ?? 0)).toBe(String(process.pid));
    const began = performance.now();
    expect(await running.stop()).toMatchObject({ outcome: 'aborted', signal: 'SIGTERM' });
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(() => process.kill(-(running.pid ?? 0), 0)).toThrow();
  });

  test('that is missing, out of time or too talkative is told as ever', async () => {
    expect(await run(['no-such-program'])).toMatchObject({ outcome: 'not-started' });
    expect(await run(['sleep', '60'], { timeoutMs: 100 })).toMatchObject({ outcome: 'timed-out' });
    expect(await run(['yes'], { maxOutputBytes: 1000 })).toMatchObject({ outcome: 'output-too-large' });
  });

  test('needs none that waits: beyond them a program is started as ever', async () => {
    const results = await Promise.all(Array.from({ length: 5 }, (_, i) => run(['echo', String(i)])));
    expect(results.map(({ stdout }) => stdout.toString())).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n']);
  });
});

test('waiting shells neither keep their process alive nor outlive it', async () => {
  const built = new URL('../dist/index.js', import.meta.url).href;
  const script = `const { keepShellsWaiting } = await import(${JSON.stringify(built)});
    keepShellsWaiting(2);
    const { readdirSync, readFileSync } = await import('node:fs');
    const stat = (pid) => { try { return readFileSync('/proc/' + pid + '/stat', 'latin1').split(') ')[1].split(' ')[1]; } catch { return ''; } };
    console.log(JSON.stringify(readdirSync('/proc').filter((pid) => stat(pid) === String(process.pid)).map(Number)));`;
  const result = await runProcess({ argv: [process.execPath, '--input-type=module', '-e', script], timeoutMs: 15_000 });
  expect(result).toMatchObject({ outcome: 'exited', exitCode: 0 });
  const shells: number[] = JSON.parse(result.stdout.toString());
  expect(shells).toHaveLength(2);
  const alive = () => shells.filter((pid) => parentState(pid) !== undefined);
  const until = performance.now() + 5_000;
  while (alive().length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(alive()).toEqual([]);
});

/** Undefined: gone, or a zombie that somebody else has to bury. */
function parentState(pid: number): string | undefined {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[0];
    return state === 'Z' ? undefined : state;
  } catch {
    return undefined;
  }
}
