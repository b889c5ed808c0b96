import { GrantPayload } from '@plumbline/probe-rpc';
import { expect, test } from 'vitest';
import type { Driver } from './conformance-driver.js';

/** What the near side asks for in a grant, and what the far side gives. */
export function conformanceOfConsent(driver: () => Driver): void {
  const past = new Date(Date.now() - 1000).toISOString();

  test.each([
    ['no grant at all', null, 'grant-missing'],
    ['a grant for another attempt', { attemptId: 'another' }, 'grant-invalid'],
    ['a grant for another measurement', { specKind: 'scripted-light/sh' }, 'grant-invalid'],
    ['a standing grant, for a measurement that needs its own', { attemptId: null }, 'grant-invalid'],
    ['a grant whose time is over', { notAfter: past }, 'grant-invalid'],
    ['fewer streams than the test asks for', { maxStreams: 0.5 }, 'grant-exceeded'],
    ['less time than the test asks for', { maxDurationS: 10 }, 'grant-exceeded'],
    ['a rate limit for a test without one', { maxRateBps: 1e6 }, 'grant-exceeded'],
    ['an address of the other family', { address: '::1' }, 'address-family-mismatch'],
  ])('%s is refused', async (_, grant, reason) => {
    const heard = await driver().run({ id: driver().id(), fence: 1n, grant });
    expect(heard.story).toEqual(['finished']);
    expect(heard.finished).toMatchObject({ outcome: 'refused', reason });
  });

  test('a grant that somebody changed, or that another key signed, is refused', async () => {
    const id = driver().id();
    const request = driver().request({ id, fence: 1n });
    const good = driver().grant({ attemptId: id });
    const changed = { ...good, payloadJson: good.payloadJson.replace('127.0.0.9', '127.0.0.8') };
    const foreign = { ...driver().grant({ attemptId: id }), signature: Buffer.alloc(70, 1) };
    for (const grant of [changed, foreign, { ...good, publicKey: Buffer.from('key') }]) {
      const heard = await driver().hear(driver().connection.execute({ ...request, grant }));
      expect(heard.finished).toMatchObject({ outcome: 'refused', reason: 'grant-invalid' });
    }
  });

  test('a standing grant is enough for a light measurement, for many attempts', async () => {
    const light = {
      kind: 'scripted-light/sh',
      shared: true,
      grant: { attemptId: null, specKind: 'scripted-light/sh' },
    };
    for (let i = 0; i < 2; i += 1)
      expect((await driver().run({ id: driver().id(), fence: 1n, ...light })).finished?.outcome).toBe('completed');
  });

  test('the far side consents with what it allows, and starts nothing where there is no server', async () => {
    const { claim, spec } = driver().request({ id: driver().id(), fence: 1n });
    const { grant, peerJson } = await driver().connection.respond({
      claim,
      spec,
      endpoint: 'two',
      peerAddress: '127.0.0.9',
    });
    const payload = GrantPayload.parse(JSON.parse(grant?.payloadJson ?? ''));
    expect(payload).toMatchObject({ attemptId: claim.attemptId, endpoint: 'two', address: '127.0.0.2', port: null });
    expect(payload).toMatchObject({ specKind: 'scripted/sh', maxRateBps: null, maxStreams: 1, maxDurationS: 60 });
    expect(JSON.parse(peerJson)).toBeNull();
    const { publicKey } = await driver().connection.inventory({ controlPlaneVersion: '0.1.0' });
    expect(Buffer.from(grant?.publicKey ?? []).equals(publicKey)).toBe(true);
    const near = await driver().hear(
      driver().connection.execute({ ...driver().request({ id: claim.attemptId, fence: 1n }), grant }),
    );
    expect(near.finished).toMatchObject({ outcome: 'completed' });
  });

  test('a standing grant lasts about a day and names no attempt; heavy measurements get none', async () => {
    const light = driver().request({ id: driver().id(), fence: 1n, kind: 'scripted-light/sh', shared: true });
    const ask = { endpoint: 'one', peerAddress: '127.0.0.9', standing: true };
    const { grant } = await driver().connection.respond({ claim: light.claim, spec: light.spec, ...ask });
    const payload = GrantPayload.parse(JSON.parse(grant?.payloadJson ?? ''));
    expect(payload).toMatchObject({ attemptId: null, legId: null });
    const hours = (Date.parse(payload.notAfter) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThan(24.1);
    const heavy = driver().request({ id: driver().id(), fence: 1n });
    const refused = driver().connection.respond({ claim: heavy.claim, spec: heavy.spec, ...ask });
    await expect(refused).rejects.toMatchObject({ problem: 'refused', reason: 'parameter-unsupported' });
  });

  test('a server listens when the far side answers; asked again, it answers the same; Stop ends it', async () => {
    const { claim, spec } = driver().request({ id: driver().id(), fence: 5n, kind: 'scripted-served/sh' });
    const ask = { claim, spec, endpoint: 'one', peerAddress: '127.0.0.9' };
    const first = await driver().connection.respond(ask);
    const again = await driver().connection.respond(ask);
    expect(again).toEqual(first);
    const payload = GrantPayload.parse(JSON.parse(first.grant?.payloadJson ?? ''));
    expect(JSON.parse(first.peerJson)).toMatchObject({ port: payload.port });
    const listed = (await driver().connection.listAttempts()).attempts.filter((a) => a.attemptId === claim.attemptId);
    expect(listed).toMatchObject([{ farSide: true, running: true, endpoint: 'one', fence: 5n, legId: 'leg' }]);
    expect(await driver().connection.stop({ attemptId: claim.attemptId, reason: 'cancelled-by-user' })).toEqual({
      wasRunning: true,
    });
    const heard = await driver().attach(claim.attemptId);
    expect(heard.story[0]).toBe('started');
    expect(heard.finished).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
  });

  test('a server that does not begin to listen is server-not-ready, and nothing is left running', async () => {
    const { claim, spec } = driver().request({
      id: driver().id(),
      fence: 5n,
      kind: 'scripted-served/sh',
      spec: { deaf: true },
    });
    const respond = driver().connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.9' });
    await expect(respond).rejects.toMatchObject({ problem: 'refused', reason: 'server-not-ready' });
    const { attempts } = await driver().connection.listAttempts();
    expect(attempts.filter((a) => a.attemptId === claim.attemptId && a.running)).toEqual([]);
  });

  test.each([
    ['an endpoint that it does not have', { endpoint: 'nowhere' }, 'endpoint-unknown'],
    ['a peer of the other family', { peerAddress: '::1' }, 'address-family-mismatch'],
  ])('%s is refused by the far side', async (_, part, reason) => {
    const { claim, spec } = driver().request({ id: driver().id(), fence: 6n });
    const respond = driver().connection.respond({ claim, spec, endpoint: 'one', peerAddress: '127.0.0.9', ...part });
    await expect(respond).rejects.toMatchObject({ problem: 'refused', reason });
  });
}
