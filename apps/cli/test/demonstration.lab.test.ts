import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { labNameFor } from '../src/demo/lab-name.js';
import { descendants, endAll, type Plumb, startPlumb, until, untilGone } from './child.js';

vi.setConfig({ testTimeout: 300_000 });

let folder: string;
let dataDir: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'plumb-demo-')));
  dataDir = join(folder, 'd');
});
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (...more: readonly string[]): Plumb =>
  startPlumb(['start', '--data-dir', dataDir, '--port', '0', ...more]);

/** Namespaces of this data folder's lab. */
const namespaces = (): string[] =>
  readdirSync('/run/netns').filter((name) => name.startsWith(`plumb-${labNameFor(dataDir)}-`));

function urlOf(plumb: Plumb): string {
  return /serves at (\S+)/.exec(plumb.said())?.[1] ?? '';
}

function user(plumb: Plumb, ...argv: readonly string[]): Plumb {
  const env = { PLUMBLINE_SERVER: urlOf(plumb), PLUMBLINE_TOKEN_FILE: join(dataDir, 'admin.token') };
  return startPlumb(argv, { env });
}

/** The two percentages of a row of the table. */
function shares(text: string, row: string): [before: number, after: number] {
  const line = text.split('\n').find((l) => l.startsWith(row)) ?? '';
  const [before, after] = [...line.slice(row.length).matchAll(/([\d.]+) %/g)].map((m) => Number(m[1]));
  if (before === undefined || after === undefined) throw new Error(`no row "${row}" in:\n${text}`);
  return [before, after];
}

/** What must be true of the numbers, whatever this machine is busy with. */
function expectTheAnswer(text: string): void {
  expect(text).toMatch(/ {2}before {2}\d+(\.\d+)? Mbit\/s\n( {10}.+\n)+ {2}change .*262144 -> 16777216\n/);
  expect(text).toMatch(/the\s+receiver's\s+window\s+holds\s+the\s+flow\s+back/);
  const [ofWindow] = shares(text, 'Throughput / (window / RTT)');
  expect(ofWindow).toBeGreaterThan(85);
  expect(ofWindow).toBeLessThan(104);
  const [before, after] = shares(text, 'Throughput / what TCP can carry');
  expect(before).toBeLessThan(45);
  expect(after).toBeGreaterThan(90);
  expect(after).toBeLessThan(102);
  expect(after / before).toBeGreaterThan(1.9);
  expect(text).toMatch(/Before, the receiver's window held it/);
  expect(text).toMatch(/Now, the link is the limit/);
}

describe('the demonstration in the lab', () => {
  test('gives the known answer, and the path stays up for more', async () => {
    const plumb = start();
    await plumb.untilSaid(/goes on serving/);
    expectTheAnswer(plumb.said());
    const latest = readFileSync(join(dataDir, 'reports', 'latest.html'), 'utf8');
    expect(latest).toContain('<svg');
    expect(latest).not.toContain('<script');
    expect(readdirSync(join(dataDir, 'reports')).filter((f) => f.startsWith('demo-'))).toHaveLength(1);
    expect(plumb.said()).not.toContain(readFileSync(join(dataDir, 'admin.token'), 'utf8').trim());

    const more = user(plumb, 'run', 'demo-one-stream', '--path', 'demo-path', '--label', 'by hand');
    expect((await more.result).exitCode).toBe(0);
    expect(more.said()).toMatch(/throughput\s+1\d\d Mbit\/s/);

    // Killed in the middle of a run: only the kernel can clean up now, and it cannot remove namespaces.
    const third = await user(plumb, 'run', 'demo-one-stream', '--path', 'demo-path', '--no-wait', '--json').result;
    const { id } = JSON.parse(third.stdout.toString('utf8'));
    await until(async () => {
      const shown = await user(plumb, 'run', 'show', id, '--json').result;
      return JSON.parse(shown.stdout.toString('utf8')).state === 'running';
    }, 30_000);
    const children = descendants(plumb.pid);
    plumb.kill('SIGKILL');
    await plumb.result;
    await untilGone(children);
    expect(namespaces()).toHaveLength(3);
  });

  test('comes back after the kill, gives the same answer, ends by itself and leaves nothing', async () => {
    expect(namespaces()).toHaveLength(3);
    const plumb = start('--once');
    await plumb.untilSaid(/after .*single-stream/);
    const children = descendants(plumb.pid);
    expect(await plumb.result).toMatchObject({ outcome: 'exited', exitCode: 0 });
    expectTheAnswer(plumb.said());
    await untilGone(children);
    expect(namespaces()).toEqual([]);
    expect(readdirSync(dataDir)).not.toContain('stack.json');
    expect(readdirSync(join(dataDir, 'probes')).filter((name) => name.endsWith('.sock'))).toEqual([]);
  });

  test('interrupted in the middle, it takes everything down and says that it did not succeed', async () => {
    const plumb = start('--once');
    await plumb.untilSaid(/before .*single-stream/);
    const children = descendants(plumb.pid);
    plumb.kill('SIGINT');
    expect((await plumb.result).exitCode).toBe(130);
    await untilGone(children);
    expect(namespaces()).toEqual([]);
  });

  test('killed while the lab is made, it leaves what the next start removes, also one without a demonstration', async () => {
    const killed = start();
    await until(() => namespaces().length === 3, 120_000);
    killed.kill('SIGKILL');
    await killed.result;
    expect(namespaces()).toHaveLength(3);
    const next = startPlumb(['up', '--no-demo', '--data-dir', dataDir, '--port', '0']);
    await next.untilSaid(/serves at/);
    await until(() => namespaces().length === 0, 20_000);
    next.kill('SIGTERM');
    expect((await next.result).exitCode).toBe(0);
  });
});

test('without the right to make namespaces it runs on loopback, and says what that cannot show', async () => {
  const through = ['setpriv', '--bounding-set', '-sys_admin'];
  const argv = ['start', '--once', '--data-dir', join(folder, 'loopback'), '--port', '0'];
  const plumb = startPlumb(argv, { through });
  await plumb.untilSaid(/after .*single-stream/);
  const children = descendants(plumb.pid);
  expect((await plumb.result).exitCode).toBe(0);
  expect(plumb.said()).toMatch(/on loopback, because a network namespace cannot be made here\.\n/);
  expect(plumb.said()).toMatch(/cannot show what a\s+window,\s+loss\s+or\s+distance\s+does/);
  await untilGone(children);
});
