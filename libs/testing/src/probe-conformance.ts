import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceOfBeside } from './conformance-beside.js';
import { conformanceOfClaims } from './conformance-claims.js';
import { conformanceOfConsent } from './conformance-consent.js';
import { type ConformanceSubject, Driver } from './conformance-driver.js';
import { conformanceOfSpool } from './conformance-spool.js';

/**
 * The probe's contract. Call it in a test file: it registers the tests.
 * @param makeProbe a probe of its own for each part, with the scripted abilities and CONFORMANCE_ENDPOINTS
 */
export function probeConformance(title: string, makeProbe: () => Promise<ConformanceSubject>): void {
  const part = (name: string, tests: (driver: () => Driver, subject: () => ConformanceSubject) => void): void => {
    describe(`${title}: ${name}`, () => {
      let subject: ConformanceSubject;
      let driver: Driver;
      beforeAll(async () => {
        subject = await makeProbe();
        driver = new Driver(subject);
      });
      afterAll(async () => {
        driver?.close();
        await subject?.close();
      });
      tests(
        () => driver,
        () => subject,
      );
    });
  };
  part('who it is', conformanceOfInventory);
  part('an attempt', conformanceOfAttempts);
  part('programs beside each other', conformanceOfBeside);
  part('claims and fences', conformanceOfClaims);
  part('consent', conformanceOfConsent);
  part('spool', conformanceOfSpool);
}

function conformanceOfInventory(driver: () => Driver): void {
  test('says who it is, what it has and what it can run', async () => {
    const inventory = await driver().connection.inventory({ controlPlaneVersion: '0.1.0' });
    expect(inventory).toMatchObject({ version: '0.1.0' });
    expect(inventory.endpoints.map((e) => [e.name, e.address, e.interface])).toEqual([
      ['one', '127.0.0.1', 'lo'],
      ['two', '127.0.0.2', 'other0'],
      ['whole', '127.0.0.3', ''],
    ]);
    expect(inventory.specKinds).toEqual(expect.arrayContaining(['scripted/sh', 'scripted-light/sh']));
    expect(inventory.publicKey.length).toBeGreaterThan(50);
    expect(inventory.congestionControls).toContain('cubic');
    expect(Math.abs((inventory.now?.getTime() ?? 0) - Date.now())).toBeLessThan(5000);
  });

  test.each(['0.0.9', '0.2.0'])('a control plane one minor version away (%s) is served', async (version) => {
    expect(await driver().connection.inventory({ controlPlaneVersion: version })).toMatchObject({ version: '0.1.0' });
  });

  test.each(['0.3.0', '1.1.0', ''])('one further away (%j) is refused with the version to install', async (version) => {
    const answer = driver().connection.inventory({ controlPlaneVersion: version });
    await expect(answer).rejects.toMatchObject({ problem: 'incompatible', reason: 'probe-version-incompatible' });
    await expect(answer).rejects.toThrow(version);
  });

  test('the standard health service says that it takes calls', async () => {
    expect(await driver().connection.health()).toBe(true);
  });

  test('a snapshot of an endpoint that it has is given, of another refused', async () => {
    const { takenAt } = await driver().connection.snapshot({ endpoint: 'one', peerAddress: '127.0.0.9' });
    expect(takenAt).toBeInstanceOf(Date);
    const unknown = driver().connection.snapshot({ endpoint: 'nowhere' });
    await expect(unknown).rejects.toMatchObject({ problem: 'refused', reason: 'endpoint-unknown' });
  });
}

function conformanceOfAttempts(driver: () => Driver): void {
  const phase = { name: 'main', stdout: 'out\n', stderr: 'err\n' };

  test('tells its story from the start to Finished, numbered without a gap', async () => {
    const heard = await driver().run({ id: driver().id(), fence: 1n, spec: { phases: [phase] } });
    const artifact = ['artifactStart', 'artifactChunk', 'artifactEnd'];
    expect(heard.story).toEqual(['started', ...artifact, ...artifact, 'finished']);
    expect(heard.events.map((e) => e.sequence)).toEqual(heard.events.map((_, i) => BigInt(i + 1)));
    expect(heard.finished).toMatchObject({ outcome: 'completed', reason: '' });
    expect(heard.finished?.phases).toMatchObject([{ phase: 'main', tool: 'sh', exitCode: 0, signal: '' }]);
    expect(heard.artifact('main.stdout')?.toString()).toBe('out\n');
    expect(heard.artifact('main.stderr')?.toString()).toBe('err\n');
  });

  test('output comes byte for byte, in chunks, and temporary files reach the program', async () => {
    const big = { ...phase, file: 'secret', floodBytes: 700_000 };
    const heard = await driver().run({ id: driver().id(), fence: 1n, spec: { phases: [big] } });
    const wanted = Buffer.concat([Buffer.from('out\nsecret'), Buffer.alloc(700_000)]);
    expect(heard.artifact('main.stdout')?.equals(wanted)).toBe(true);
    const chunks = heard.events.filter((e) => e.event?.$case === 'artifactChunk');
    expect(chunks.length).toBeGreaterThanOrEqual(4);
    const started = heard.events[0]?.event;
    expect(started?.$case === 'started' && started.value.argv.at(-1)).toMatch(/^\/.*input$/);
  });

  test('phases run one after another; a failure ends the attempt, unless the phase is optional', async () => {
    const phases = [{ name: 'a', exitCode: 1, optional: true }, { name: 'b', exitCode: 3 }, { name: 'c' }];
    const heard = await driver().run({ id: driver().id(), fence: 1n, spec: { phases } });
    expect(heard.finished).toMatchObject({ outcome: 'failed', reason: 'tool-failed' });
    expect(heard.finished?.phases.map((p) => [p.phase, p.exitCode])).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
  });

  test('a program that takes too long is ended, and what it said is kept', async () => {
    const slow = { ...phase, sleepMs: 20_000, timeoutMs: 300 };
    const heard = await driver().run({ id: driver().id(), fence: 1n, spec: { phases: [slow] } });
    expect(heard.finished).toMatchObject({ outcome: 'timed-out', reason: 'deadline-exceeded' });
    expect(heard.artifact('main.stdout')?.toString()).toBe('out\n');
  });

  test('the longest duration holds although every phase would have time', async () => {
    const spec = { phases: [{ ...phase, sleepMs: 20_000 }] };
    const heard = await driver().run({ id: driver().id(), fence: 1n, longestMs: 400, spec });
    expect(heard.finished).toMatchObject({ outcome: 'timed-out', reason: 'deadline-exceeded' });
  });

  test('Stop ends it at once with the reason given, though it ignores TERM, and keeps what it said', async () => {
    const id = driver().id();
    const spec = { phases: [{ ...phase, sleepMs: 20_000, ignoresTerm: true }] };
    await driver().begin({ id, fence: 1n, spec });
    await new Promise((resolve) => setTimeout(resolve, 150));
    const before = performance.now();
    expect(await driver().connection.stop({ attemptId: id, reason: 'cancelled-by-user' })).toEqual({
      wasRunning: true,
    });
    expect(performance.now() - before).toBeLessThan(1000);
    const heard = await driver().attach(id);
    expect(heard.finished).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
    expect(heard.artifact('main.stdout')?.toString()).toBe('out\n');
    expect(await driver().connection.stop({ attemptId: id, reason: 'superseded' })).toEqual({ wasRunning: false });
  });

  test('Stop before the start keeps it from starting, here and as far side', async () => {
    const id = driver().id();
    expect(await driver().connection.stop({ attemptId: id, reason: 'cancelled-by-user' })).toEqual({
      wasRunning: false,
    });
    const heard = await driver().run({ id, fence: 1n });
    expect(heard.story).toEqual(['finished']);
    expect(heard.finished).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
    const { claim, spec } = driver().request({ id, fence: 1n });
    const respond = driver().connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.9' });
    await expect(respond).rejects.toMatchObject({ problem: 'refused', reason: 'cancelled-by-user' });
  });

  test('a stream with nothing to say says that it is alive', async () => {
    const request = driver().request({
      id: driver().id(),
      fence: 1n,
      spec: { phases: [{ name: 'main', sleepMs: 2600 }] },
    });
    const heard = await driver().hear(driver().connection.execute(request, { silenceMs: 1900 }));
    expect(heard.finished).toMatchObject({ outcome: 'completed' });
  });

  test.each([
    ['an endpoint that it does not have', { endpoint: 'nowhere' }, 'endpoint-unknown'],
    ['a kind that it does not know', { kind: 'juggling/sh' }, 'spec-invalid'],
    ['a tool that it does not have', { spec: { phases: [], needsTool: 'no-such-tool' } }, 'tool-missing'],
  ])('%s is refused, and nothing is left', async (_, part, reason) => {
    const id = driver().id();
    const heard = await driver().run({ id, fence: 1n, ...part });
    expect(heard.story).toEqual(['finished']);
    expect(heard.finished).toMatchObject({ outcome: 'refused', reason });
    const { attempts } = await driver().connection.listAttempts();
    expect(attempts.map((a) => a.attemptId)).not.toContain(id);
  });

  test.each([
    ['rubbish', { specJson: '{"phases":' }],
    ['unknown fields', { specJson: '{"phases":[],"colour":"red"}' }],
    ['another version', { schemaVersion: 2 }],
    ['more than 64 KiB', { specJson: JSON.stringify({ phases: [{ name: 'main', stdout: 'x'.repeat(65_536) }] }) }],
  ])('a spec that is %s is refused as spec-invalid', async (_, part) => {
    const request = driver().request({ id: driver().id(), fence: 1n });
    const heard = await driver().hear(driver().connection.execute({ ...request, spec: { ...request.spec, ...part } }));
    expect(heard.finished).toMatchObject({ outcome: 'refused', reason: 'spec-invalid' });
  });
}
