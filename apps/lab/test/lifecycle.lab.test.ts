import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { identifyProcess, isAlive, type RunningProcess, runProcess, startProcess } from '@plumbline/process';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { canMakeLab, LabError, labDown, labStart, labStatus, labSysctl, labUp } from '../src/index.js';
import { type Bench, leftovers, makeBench, removeBench, run, set, status, upOn } from './bench.js';

let bench: Bench;
const MAKE_LAB = fileURLToPath(new URL('./make-lab.mjs', import.meta.url));
const place = () => ({ labsDir: bench.labsDir });

beforeAll(async () => {
  bench = await makeBench('life');
});
afterEach(async () => {
  await labDown(bench.name, place());
  expect(await leftovers(bench)).toEqual([]);
});
afterAll(() => removeBench(bench));

/** Another process that makes the lab; `up` resolves when it says so. */
function makeElsewhere(mode: 'owned' | 'detached', then = ''): { process: RunningProcess; up: Promise<unknown> } {
  let said: () => void = () => {};
  const up = new Promise<void>((resolve) => {
    said = resolve;
  });
  const argv: [string, ...string[]] = [process.execPath, MAKE_LAB, bench.name, bench.labsDir, mode, then];
  const running = startProcess({ argv, timeoutMs: 60_000, onStdout: (chunk) => chunk.includes('up') && said() });
  return { process: running, up: Promise.race([up, running.result]) };
}

test('this machine can make labs, and finding out leaves nothing', async () => {
  expect(await canMakeLab()).toEqual({ ok: true });
  expect((await readdir('/run/netns')).filter((name) => name === `plumb-trial-${process.pid}`)).toEqual([]);
});

test('down removes namespaces, emulators, programs inside and files; again it finds nothing', async () => {
  await upOn(bench);
  const inside = await labStart(bench.name, 'server', ['sleep', '600'], place());
  expect((await leftovers(bench)).length).toBeGreaterThanOrEqual(4 + 2);
  expect(await labDown(bench.name, place())).toBe(true);
  expect((await inside.result).signal).toBe('SIGTERM');
  expect(await leftovers(bench)).toEqual([]);
  expect(await labDown(bench.name, place())).toBe(false);
  await expect(status(bench)).rejects.toMatchObject({ code: 'lab-not-found' });
});

test('a live lab is refused, replaced only when asked, and its settings are its own', async () => {
  await upOn(bench);
  await expect(upOn(bench)).rejects.toMatchObject({ code: 'lab-exists' });
  await upOn(bench, { replace: true, link2: { rateBps: 5e6, ba: { lossRatio: 0.5 } } });
  const { linkStatus, state } = await status(bench);
  expect(state).toBe('up');
  expect(linkStatus[1]?.stat?.ab).toMatchObject({ rateBps: 5e6, delayUs: 20_000, lossRatio: 0 });
  expect(linkStatus[1]?.stat?.ba).toMatchObject({ rateBps: 5e6, lossRatio: 0.5 });
});

test('two labs run side by side and do not hear of each other', async () => {
  const other = `${bench.name}b`;
  await Promise.all([upOn(bench), labUp({ name: other, ...place(), link2: { delayMs: 40 } })]);
  try {
    await set(bench, 1, undefined, 'down');
    const { linkStatus } = await labStatus(other, place());
    expect(linkStatus.map(({ stat }) => stat?.ab.up)).toEqual([true, true]);
    expect(
      (await run({ ...bench, name: other }, 'client', 'ping -c 2 -i 0.2 -W 2 192.0.2.66')).stdout.toString(),
    ).toContain('2 received');
    expect(await labDown(bench.name, place())).toBe(true);
    const after = await run({ ...bench, name: other }, 'client', 'ping -c 1 -W 2 192.0.2.66');
    expect(Number(/time=([\d.]+)/.exec(after.stdout.toString())?.[1])).toBeGreaterThan(84);
  } finally {
    await labDown(other, place());
  }
  expect(await leftovers(bench, other)).toEqual([]);
});

test('when a step fails nothing stays behind', async () => {
  const namespace = `plumb-${bench.name}-server`;
  const making = upOn(bench).then(
    () => 'made',
    (error: unknown) => error,
  );
  // Somebody takes a namespace away as soon as it is there: a later step cannot work.
  await expect.poll(() => readdir('/run/netns'), { interval: 2, timeout: 10_000 }).toContain(namespace);
  await runProcess({ argv: ['ip', 'netns', 'del', namespace], timeoutMs: 5000 });
  expect(await making).toBeInstanceOf(LabError);
  expect(await leftovers(bench)).toEqual([]);
});

test('killed at any moment while it makes the lab, the next one recovers', async () => {
  for (const afterMs of [150, 350, 550, 800]) {
    const elsewhere = makeElsewhere(afterMs === 550 ? 'detached' : 'owned');
    await Promise.race([elsewhere.up, delay(afterMs)]);
    if (elsewhere.process.pid !== null) process.kill(elsewhere.process.pid, 'SIGKILL');
    expect((await elsewhere.process.result).signal).toBe('SIGKILL');
    await labDown(bench.name, place());
    expect(await leftovers(bench)).toEqual([]);
  }
});

test('an owned lab dies with its owner, and a new one takes its place', async () => {
  const elsewhere = makeElsewhere('owned');
  await elsewhere.up;
  const emulators = (await status(bench)).linkStatus.map(({ pid }) => identifyProcess(pid ?? -1));
  expect(emulators.every((emulator) => emulator && isAlive(emulator))).toBe(true);
  if (elsewhere.process.pid !== null) process.kill(elsewhere.process.pid, 'SIGKILL');
  await elsewhere.process.result;
  await expect.poll(() => emulators.some((emulator) => emulator && isAlive(emulator)), { timeout: 3000 }).toBe(false);
  expect((await status(bench)).state).toBe('broken');
  await upOn(bench);
  expect((await run(bench, 'client', 'ping -c 1 -W 2 192.0.2.66')).stdout.toString()).toContain('1 received');
});

test('a detached lab outlives its maker until it is taken down', async () => {
  const elsewhere = makeElsewhere('detached', 'exit');
  expect((await elsewhere.process.result).exitCode).toBe(0);
  expect((await status(bench)).state).toBe('up');
  expect((await run(bench, 'client', 'ping -c 1 -W 2 192.0.2.66')).stdout.toString()).toContain('1 received');
});

test('a killed emulator makes the lab broken; up and down both cope', async () => {
  await upOn(bench);
  const victim = (await status(bench)).linkStatus[1]?.pid ?? -1;
  process.kill(victim, 'SIGKILL');
  await expect.poll(async () => (await status(bench)).state).toBe('broken');
  await expect(set(bench, 2, undefined, 'rate 1M')).rejects.toMatchObject({ code: 'emulator-failed' });
  await upOn(bench);
  expect((await status(bench)).state).toBe('up');
});

test('a state file that makes no sense, or is gone, does not stop recovery', async () => {
  await upOn(bench);
  await writeFile(join(bench.labsDir, bench.name, 'state.json'), '{"schemaVersion":');
  await expect(status(bench)).rejects.toMatchObject({ code: 'state-unreadable' });
  await upOn(bench);
  expect((await status(bench)).state).toBe('up');
  // The same names, but another state folder: not ours to take down while it lives.
  const elsewhere = { labsDir: join(bench.folder, 'other') };
  await expect(labUp({ name: bench.name, ...elsewhere })).rejects.toMatchObject({ code: 'lab-elsewhere' });
  await expect(labDown(bench.name, elsewhere)).rejects.toMatchObject({ code: 'lab-elsewhere' });
});

test('settings of a namespace are set there alone; those of the machine are refused', async () => {
  await upOn(bench);
  const before = await readFile('/proc/sys/net/ipv4/tcp_rmem', 'utf8');
  const set6m = labSysctl(bench.name, 'server', 'net.ipv4.tcp_rmem', '4096 131072 6000000', place());
  expect((await set6m).split(/\s+/)).toEqual(['4096', '131072', '6000000']);
  expect(await readFile('/proc/sys/net/ipv4/tcp_rmem', 'utf8')).toBe(before);
  const refused = (key: string, value: string) =>
    expect(labSysctl(bench.name, 'server', key, value, place())).rejects.toMatchObject({ code: 'sysctl-refused' });
  await refused('net.core.rmem_max', '6000000');
  await refused('kernel.hostname', 'x');
  await refused('net.ipv4.tcp_mem', '1 2 3');
  await refused('net.ipv4.tcp_rmem', 'lots; reboot');
});
