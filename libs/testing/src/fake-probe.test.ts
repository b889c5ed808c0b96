import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectProbe } from '@plumbline/probe-rpc';
import { afterAll, expect, test } from 'vitest';
import { CONFORMANCE_ENDPOINTS } from './conformance-driver.js';
import { startFakeProbe } from './fake-probe.js';
import { probeConformance } from './probe-conformance.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-fake-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
const options = () => {
  made += 1;
  return {
    name: 'fake',
    site: 'here',
    endpoints: CONFORMANCE_ENDPOINTS,
    address: `unix:${join(folder, `${made}.sock`)}`,
  };
};

probeConformance('the fake probe', async () => {
  const fake = await startFakeProbe(options());
  return {
    name: fake.name,
    address: fake.address,
    close: () => fake.close(),
    async restart() {
      await fake.die();
      await fake.revive();
    },
  };
});

test('plays what the script says, and tells what was started', async () => {
  const fake = await startFakeProbe({
    ...options(),
    script: ({ n }) => ({ phases: { ping: { stdout: `number ${n}`, exitCode: 1 } } }),
  });
  const probe = connectProbe({ address: fake.address, name: 'fake' });
  const spec = { kind: 'rtt/ping', schemaVersion: 1, specJson: '{"count":3,"intervalS":0.2}' };
  const claim = { attemptId: 'a', legId: 'l', fence: 1n, shared: true, longestDurationMs: 0 };
  const { grant } = await probe.respond({ claim, spec, endpoint: 'two', peerAddress: '127.0.0.1' });
  const events = [];
  for await (const event of probe.execute({ claim, spec, endpoint: 'one', grant, peerJson: 'null' }))
    events.push(event);
  expect(events.at(-1)?.event).toMatchObject({
    $case: 'finished',
    value: { outcome: 'failed', reason: 'tool-failed' },
  });
  expect(fake.started).toMatchObject([{ id: 'a', end: 'near', kind: 'rtt/ping', n: 0 }]);
  expect(fake.calls).toEqual(['respond', 'execute']);
  probe.close();
  await fake.close();
});

test('can fall silent, be of another version, and die in the middle', async () => {
  const fake = await startFakeProbe({
    ...options(),
    script: () => ({ diesAfterMs: 50, phases: { main: { durationMs: 5000 } } }),
  });
  const probe = connectProbe({ address: fake.address, name: 'fake' });
  expect(statSync(fake.address.slice('unix:'.length)).mode & 0o777).toBe(0o600);
  fake.setVersion('0.9.0');
  await expect(probe.inventory({ controlPlaneVersion: '0.1.0' })).rejects.toMatchObject({ problem: 'incompatible' });
  fake.setVersion('0.1.0');
  const { signGrant, makeKey } = await import('@plumbline/probe-rpc');
  const payload = {
    attemptId: 'b',
    legId: null,
    probe: 'p',
    endpoint: 'e',
    address: '127.0.0.9',
    port: null,
    specKind: 'scripted/sh',
  };
  const ceilings = { maxRateBps: null, maxStreams: 1, maxDurationS: 60, notAfter: '2999-01-01T00:00:00Z' };
  const grant = signGrant({ ...payload, ...ceilings }, makeKey());
  const spec = { kind: 'scripted/sh', schemaVersion: 1, specJson: '{"phases":[{"name":"main"}]}' };
  const claim = { attemptId: 'b', legId: 'l', fence: 1n, shared: false, longestDurationMs: 0 };
  const drain = async (attachOnly: boolean, silenceMs = 5000) => {
    const stream = probe.execute({ claim, spec, endpoint: 'one', grant, attachOnly }, { silenceMs });
    let last: unknown;
    for await (const { event } of stream) last = event;
    return last;
  };
  await expect(drain(false)).rejects.toMatchObject({ problem: 'unreachable' });
  await fake.revive();
  expect(await drain(true)).toMatchObject({ value: { outcome: 'lost', reason: 'probe-stopped' } });
  fake.fallSilent(true);
  await expect(drain(true, 300)).rejects.toThrow('said nothing');
  probe.close();
  await fake.close();
});
