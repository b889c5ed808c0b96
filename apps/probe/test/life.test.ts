import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identifyProcess, isAlive, type ProcessIdentity } from '@plumbline/process';
import { Driver } from '@plumbline/testing';
import { afterEach, expect, test } from 'vitest';
import { SpawnedProbe } from './spawned-probe.js';

const probes: SpawnedProbe[] = [];
const made = (...options: ConstructorParameters<typeof SpawnedProbe>): SpawnedProbe => {
  const probe = new SpawnedProbe(...options);
  probes.push(probe);
  return probe;
};
afterEach(async () => {
  await Promise.all(probes.splice(0).map((probe) => probe.close()));
});

const asleep = { phases: [{ name: 'main', stdout: 'said', sleepMs: 300_000, ignoresTerm: true, file: 'secret' }] };

/** Starts a long attempt and says who its program is. */
async function begin(driver: Driver, id: string, fence = 1n): Promise<ProcessIdentity> {
  for await (const { event } of driver.connection.execute(driver.request({ id, fence, spec: asleep }))) {
    const identity = event?.$case === 'started' ? identifyProcess(event.value.pid) : undefined;
    if (identity) return identity;
  }
  throw new Error('it did not start');
}

async function gone(identity: ProcessIdentity): Promise<void> {
  const until = performance.now() + 10_000;
  while (isAlive(identity)) {
    if (performance.now() > until) throw new Error(`process ${identity.pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test('says when it is ready, on a socket for its user alone, with private files', async () => {
  const probe = made();
  await probe.start();
  expect(probe.printed).toBe(`plumb probe subject listening on ${probe.address}\n`);
  expect(statSync(probe.address.slice('unix:'.length)).mode & 0o777).toBe(0o600);
  expect(statSync(probe.options.dataDir).mode & 0o777).toBe(0o700);
});

test('SIGKILL of the probe ends its programs; started again it knows the attempt, and nothing secret is left (C9)', async () => {
  const probe = made();
  await probe.start();
  const driver = new Driver(probe);
  const program = await begin(driver, 'killed');
  const temporary = join(probe.options.dataDir, 'tmp');
  expect(readdirSync(temporary)).toHaveLength(1);
  await probe.kill();
  await gone(program);
  await probe.start();
  driver.reconnect();
  const heard = await driver.attach('killed');
  expect(heard.finished).toMatchObject({ outcome: 'lost', reason: 'probe-stopped' });
  expect(heard.artifact('main.stdout')?.toString()).toMatch(/^said/);
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(join(probe.options.dataDir, 'children'))).toEqual([]);
  driver.close();
});

test('SIGTERM ends programs, though they ignore TERM, and the probe, with 0 and within 3 s; attempts are lost', async () => {
  const probe = made();
  await probe.start();
  const driver = new Driver(probe);
  const program = await begin(driver, 'shut-down');
  const before = performance.now();
  const result = await probe.stop();
  expect(result).toMatchObject({ outcome: 'aborted', exitCode: 0 });
  expect(performance.now() - before).toBeLessThan(3500);
  expect(isAlive(program)).toBe(false);
  expect(existsSync(probe.address.slice('unix:'.length))).toBe(false);
  await probe.start();
  driver.reconnect();
  expect((await driver.attach('shut-down')).finished).toMatchObject({ outcome: 'lost', reason: 'probe-stopped' });
  driver.close();
});

test('a second probe on the same data folder, or on the same socket, is refused with a sentence', async () => {
  const [first, second] = [made(), made()];
  await first.start();
  await expect(made({ dataDir: first.options.dataDir }).start()).rejects.toThrow(
    /Another probe \(process \d+\) works in/,
  );
  await expect(made({ listen: first.address }).start()).rejects.toThrow('Another process listens');
  await second.start();
});

test('a file that is no socket is not replaced', async () => {
  const probe = made();
  const file = probe.address.slice('unix:'.length);
  writeFileSync(file, 'mine');
  await expect(probe.start()).rejects.toThrow('is not a socket');
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('listening on TCP before it is enrolled is refused with what to do', async () => {
  await expect(made({ listen: '127.0.0.1:45123' }).start()).rejects.toThrow(
    /no certificate yet. Run plumb probe enrol/,
  );
});

test('a probe at rest stays below 120 MB, and leaves no temporary file', async () => {
  const probe = made();
  await probe.start();
  const driver = new Driver(probe);
  await driver.run({ id: 'one', fence: 1n, spec: { phases: [{ name: 'main', file: 'secret' }] } });
  expect(readdirSync(join(probe.options.dataDir, 'tmp'))).toEqual([]);
  await driver.connection.snapshot({ endpoint: 'one', peerAddress: '127.0.0.1' });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${probe.pid}/status`, 'utf8'))?.[1]);
  expect(rssKb / 1024).toBeLessThan(120);
  driver.close();
});

test('a server that nobody comes to is ended (A29)', async () => {
  const probe = made({ clientMs: 600 });
  await probe.start();
  const driver = new Driver(probe);
  const { claim, spec } = driver.request({ id: 'waits', fence: 1n, kind: 'scripted-served/sh' });
  await driver.connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.1' });
  const heard = await driver.attach('waits');
  expect(heard.finished).toMatchObject({ outcome: 'failed', reason: 'connection-timed-out' });
  driver.close();
});

test('output that cannot be written fails the attempt, and the next one works', async () => {
  const probe = made();
  await probe.start();
  const driver = new Driver(probe);
  // A folder where the output should go: opening the file fails, whoever we are.
  const spool = join(probe.options.dataDir, 'spool');
  const watcher = setInterval(() => {
    const folder = readdirSync(spool).find((name) => name.startsWith('unwritable'));
    if (folder !== undefined && !existsSync(join(spool, folder, 'artifact-two.stdout')))
      mkdirSync(join(spool, folder, 'artifact-two.stdout'));
  }, 5);
  const phases = [
    { name: 'one', sleepMs: 400 },
    { name: 'two', sleepMs: 300_000 },
  ];
  const heard = await driver.run({ id: 'unwritable', fence: 1n, spec: { phases } });
  clearInterval(watcher);
  expect(heard.finished).toMatchObject({ outcome: 'failed', reason: 'tool-not-started' });
  expect((await driver.run({ id: 'next', fence: 1n })).finished).toMatchObject({ outcome: 'completed' });
  driver.close();
});

test('its log names attempts and reasons, one line each, and no secret', async () => {
  const probe = made({ logLevel: 'debug' });
  await probe.start();
  const driver = new Driver(probe);
  const { claim, spec } = driver.request({ id: 'logged', fence: 7n, kind: 'scripted-served/sh' });
  const { peerJson } = await driver.connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.1' });
  await driver.connection.stop({ attemptId: 'logged', reason: 'cancelled-by-user' });
  await driver.run({ id: 'late', fence: 6n });
  await probe.stop();
  const lines = probe.logged
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'attempt ended', attempt: 'logged', reason: 'cancelled-by-user', fence: '7' }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'attempt refused', attempt: 'late', reason: 'fence-stale' }),
  );
  expect(probe.logged).not.toContain(String(JSON.parse(peerJson).user));
  expect(probe.logged).not.toMatch(/PRIVATE KEY|password/i);
  driver.close();
});
