import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { identifyProcess, isAlive, type ProcessIdentity } from '@plumbline/process';
import { Driver } from '@plumbline/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SpawnedProbe } from './spawned-probe.js';

let probe: SpawnedProbe;
let driver: Driver;
beforeEach(async () => {
  probe = new SpawnedProbe();
  await probe.start();
  driver = new Driver(probe);
});
afterEach(async () => {
  driver.close();
  await probe.close();
});

const stubborn = { sleepMs: 300_000, ignoresTerm: true, file: 'secret' };
const phases = [
  { name: 'load', stdout: 'load', capture: 'caught', ...stubborn, beside: { leadMs: 0, graceMs: 60_000 } },
  { name: 'main', stdout: 'main', ...stubborn },
];

/** Starts both programs and says who they are. */
async function begin(id: string): Promise<ProcessIdentity[]> {
  const programs: ProcessIdentity[] = [];
  // Ends with the second program, or with the attempt.
  for await (const { event } of driver.connection.execute(driver.request({ id, fence: 1n, spec: { phases } }))) {
    const identity = event?.$case === 'started' ? identifyProcess(event.value.pid) : undefined;
    if (identity) programs.push(identity);
    if (programs.length === phases.length) return programs;
  }
  throw new Error('not all of them started');
}

async function gone(programs: readonly ProcessIdentity[]): Promise<void> {
  const until = performance.now() + 10_000;
  while (programs.some(isAlive)) {
    if (performance.now() > until) throw new Error('a program is still there');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Connects and lets go. */
const visit = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve()));
    socket.on('error', reject);
  });

test('SIGKILL of the probe ends all programs of an attempt; started again it has what each had said', async () => {
  const programs = await begin('killed');
  expect(readdirSync(join(probe.options.dataDir, 'tmp'))).toHaveLength(2);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await probe.kill();
  await gone(programs);
  await probe.start();
  driver.reconnect();
  const heard = await driver.attach('killed');
  expect(heard.finished).toMatchObject({ outcome: 'lost', reason: 'probe-stopped' });
  expect(heard.artifact('load.stdout')?.toString()).toBe('loadsecret');
  expect(heard.artifact('main.stdout')?.toString()).toBe('mainsecret');
  expect(heard.artifact('load.capture')?.toString()).toBe('caught');
  const streams = heard.events.flatMap(({ event }) => (event?.$case === 'artifactStart' ? [event.value] : []));
  expect(streams).toContainEqual(expect.objectContaining({ name: 'load.capture', phase: 'load', stream: 'capture' }));
  expect(readdirSync(join(probe.options.dataDir, 'tmp'))).toEqual([]);
});

test('SIGTERM ends all programs of an attempt, though they ignore it', async () => {
  const programs = await begin('shut-down');
  expect(await probe.stop()).toMatchObject({ exitCode: 0 });
  expect(programs.map(isAlive)).toEqual([false, false]);
});

test('the far side lasts until each server has had its client, and its companion ends with them', async () => {
  const companion = { name: 'capture', sleepMs: 300_000, capture: 'caught', beside: { leadMs: 50, graceMs: 0 } };
  const { claim, spec } = driver.request({
    id: 'served',
    fence: 1n,
    kind: 'scripted-served/sh',
    spec: { servers: 2, companions: [companion] },
  });
  const { peerJson } = await driver.connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.1' });
  const { ports } = JSON.parse(peerJson);
  await visit(ports[0]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const [state] = (await driver.connection.listAttempts()).attempts;
  expect(state).toMatchObject({ attemptId: 'served', running: true, farSide: true });
  await visit(ports[1]);
  const heard = await driver.attach('served');
  expect(heard.finished).toMatchObject({ outcome: 'completed', reason: '' });
  expect(heard.finished?.phases).toMatchObject([
    { phase: 'capture', signal: 'SIGTERM' },
    { phase: 'server', exitCode: 0 },
    { phase: 'server-2', exitCode: 0 },
  ]);
  expect(heard.artifact('capture.capture')?.toString()).toBe('caught');
});
