import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@plumbline/model';
import { beforeAll, describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import { addPair, addToken, must } from '../resources.js';
import { house } from './house.js';

describe('probes', () => {
  beforeAll(async () => {
    await must(house.stack, 'PUT', '/v1/sites/ber', { timeZone: 'Etc/UTC' });
    await must(house.stack, 'PUT', '/v1/sites/par', { timeZone: 'Etc/UTC' });
  });

  const endpoints = [
    { name: 'test', address: '192.0.2.1', interface: 'eth1' },
    { name: 'other', address: '192.0.2.9' },
  ];
  const input = {
    name: 'one',
    site: 'ber',
    address: '192.0.2.1:7430',
    endpoints: [{ name: 'test', address: '192.0.2.1' }],
  };

  describe('registering a probe', () => {
    beforeAll(() => house.probes.add('one', 'ber', '192.0.2.1:7430', endpoints));

    test("asks it, and keeps the probe's own facts", async () => {
      const answer = await house.stack.call('POST', '/v1/probes', { body: input });
      expect(answer.status).toBe(201);
      expect(answer.headers.get('location')).toBe('/v1/probes/one');
      expect(answer.body).toMatchObject({
        name: 'one',
        state: 'up',
        version: '0.1.0',
        endpoints: [endpoints[0]],
        tools: { iperf3: '3.12', ss: null },
        congestionControls: ['reno', 'cubic'],
        clockOffsetMs: 1.5,
        enrolled: false,
        certificateNotAfter: null,
      });
      expect((await house.stack.call('GET', '/v1/probes/one')).body).toEqual(answer.body);
      expect(said(await house.stack.call('POST', '/v1/probes', { body: input }))).toEqual([409, 'conflict']);
    });

    test.each([
      ['no such site', { ...input, name: 'two', site: 'nowhere' }, [422, 'invalid-request', '/site']],
      ['another address', { ...input, name: 'two', address: '192.0.2.77:1' }, [422, 'probe-unreachable', '/address']],
      [
        'a host name as endpoint',
        { ...input, endpoints: [{ name: 'test', address: 'example.org' }] },
        [422, 'invalid-request', '/endpoints/0/address'],
      ],
      [
        'an interface that is an option',
        { ...input, endpoints: [{ name: 'test', address: '192.0.2.1', interface: '-i' }] },
        [422, 'invalid-request', '/endpoints/0/interface'],
      ],
      ['an address without a port', { ...input, address: '192.0.2.1' }, [422, 'invalid-request', '/address']],
      ['a relative socket', { ...input, address: 'unix:probe.sock' }, [422, 'invalid-request', '/address']],
      [
        'an endpoint twice',
        { ...input, endpoints: [input.endpoints[0], input.endpoints[0]] },
        [422, 'invalid-request', '/endpoints/1/name'],
      ],
      ['no endpoints', { ...input, endpoints: [] }, [422, 'invalid-request', '/endpoints']],
      ['an unknown field', { ...input, port: 1 }, [422, 'invalid-request', '/port']],
    ])('with %s is refused', async (_what, body, expected) => {
      expect(said(await house.stack.call('POST', '/v1/probes', { body }))).toEqual(expected);
    });

    test('that says something else is refused, field by field', async () => {
      house.probes.add('three', 'par', '192.0.2.3:7430', endpoints);
      const three = { ...input, name: 'three', site: 'par', address: '192.0.2.3:7430' };
      const ask = async (more: object) =>
        said(await house.stack.call('POST', '/v1/probes', { body: { ...three, ...more } }));
      expect(await ask({ site: 'ber' })).toEqual([422, 'probe-identity-mismatch', '/site']);
      expect(await ask({ name: 'four' })).toEqual([422, 'probe-identity-mismatch', '/address']);
      const wrong = [
        { name: 'test', address: '192.0.2.2' },
        { name: 'none', address: '192.0.2.1' },
        { name: 'other', address: '192.0.2.9', interface: 'eth9' },
      ];
      expect(await ask({ endpoints: wrong })).toEqual([
        422,
        'endpoint-mismatch',
        '/endpoints/0/address',
        '/endpoints/1/name',
        '/endpoints/2/interface',
      ]);
      expect((await house.stack.call('GET', '/v1/probes/three')).status).toBe(404);
    });

    test('that is too old, or fails in ways of its own, is refused', async () => {
      house.probes.reports.set('192.0.2.5:1', new ProblemError('probe-incompatible', 'install 0.1.0'));
      house.probes.reports.set('192.0.2.6:1', new ProblemError('internal-error', 'it speaks HTTP'));
      const ask = (address: string) =>
        house.stack.call('POST', '/v1/probes', { body: { ...input, name: 'five', address } });
      expect(said(await ask('192.0.2.5:1'))).toEqual([422, 'probe-incompatible', '/address']);
      expect(said(await ask('192.0.2.6:1'))).toEqual([422, 'probe-unreachable', '/address']);
    });

    test('by many at once happens once', async () => {
      house.probes.add('rush', 'ber', '192.0.2.8:1', endpoints);
      const body = { ...input, name: 'rush', address: '192.0.2.8:1' };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => house.stack.call('POST', '/v1/probes', { body })),
      );
      expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409, 409, 409]);
    });
  });

  describe('a unix: address', () => {
    test('outside D/probes needs an administrator', async () => {
      const token = await addToken(house.stack.databaseUrl, ['probe:enrol']);
      const inside = `unix:${join(house.stack.dataDir, 'probes', 'in.sock')}`;
      symlinkSync('/tmp', join(house.stack.dataDir, 'probes', 'escape'));
      const outside = `unix:${join(house.stack.dataDir, 'probes', 'escape', 'x.sock')}`;
      for (const address of [inside, outside, 'unix:/tmp/out.sock'])
        house.probes.add(`u${address.length}`, 'ber', address, endpoints);
      const ask = (address: string, as?: string) =>
        house.stack.call('POST', '/v1/probes', { body: { ...input, name: `u${address.length}`, address }, token: as });
      expect(said(await ask('unix:/tmp/out.sock', token))).toEqual([403, 'insufficient-scope', '/address']);
      expect(said(await ask(outside, token))).toEqual([403, 'insufficient-scope', '/address']);
      expect((await ask(inside, token)).status).toBe(201);
      expect((await ask('unix:/tmp/out.sock')).status).toBe(201);
    });
  });

  describe('a registered probe', () => {
    test('is changed after it was asked again', async () => {
      const { far, site } = await addPair(house.stack, house.probes);
      house.probes.add(far, site, '192.0.2.99:7430', [{ name: 'test', address: '192.0.2.99' }]);
      const change = (body: object) => house.stack.call('PATCH', `/v1/probes/${far}`, { body });
      expect(said(await change({ address: '192.0.2.99:7430' }))).toEqual([
        422,
        'endpoint-mismatch',
        '/endpoints/0/address',
      ]);
      const changed = await change({
        address: '192.0.2.99:7430',
        endpoints: [{ name: 'test', address: '192.0.2.99' }],
      });
      expect([changed.status, changed.body]).toMatchObject([
        200,
        { endpoints: [{ name: 'test', address: '192.0.2.99' }] },
      ]);
      expect(said(await change({ site: 'nowhere' }))).toEqual([422, 'invalid-request', '/site']);
      expect(said(await change({ name: 'other' }))).toEqual([422, 'invalid-request', '/name']);
      expect(said(await house.stack.call('PATCH', '/v1/probes/nobody', { body: {} }))).toEqual([404, 'not-found']);
    });

    test('keeps an endpoint that a path needs', async () => {
      const { near, site, path } = await addPair(house.stack, house.probes);
      house.probes.add(near, site, '192.0.2.98:7430', [{ name: 'new', address: '192.0.2.98' }]);
      const body = { address: '192.0.2.98:7430', endpoints: [{ name: 'new', address: '192.0.2.98' }] };
      const answer = await house.stack.call('PATCH', `/v1/probes/${near}`, { body });
      expect(said(answer)).toEqual([409, 'in-use']);
      expect(answer.text).toContain(path);
    });

    test('is deleted when no path needs it', async () => {
      const { near, path } = await addPair(house.stack, house.probes);
      const answer = await house.stack.call('DELETE', `/v1/probes/${near}`);
      expect(said(answer)).toEqual([409, 'in-use']);
      expect(answer.text).toContain(path);
      await must(house.stack, 'DELETE', `/v1/paths/${path}`);
      expect((await house.stack.call('DELETE', `/v1/probes/${near}`)).status).toBe(204);
      expect(said(await house.stack.call('DELETE', `/v1/probes/${near}`))).toEqual([404, 'not-found']);
    });

    test('shows its facts', async () => {
      const { near } = await addPair(house.stack, house.probes);
      const snapshot = await must(
        house.stack,
        'GET',
        `/v1/probes/${near}/snapshot?endpoint=test&peerAddress=192.0.2.2`,
      );
      expect(snapshot).toMatchObject({ kernel: '6.1.0', unknown: { qdisc: 'not asked' } });
      const ask = (query: string) => house.stack.call('GET', `/v1/probes/${near}/snapshot?${query}`);
      expect(said(await ask('endpoint=x'))).toEqual([422, 'invalid-request', '#/query/endpoint']);
      expect(said(await ask('peerAddress=example.org'))).toEqual([422, 'invalid-request', '#/query/peerAddress']);
      expect(said(await house.stack.call('GET', '/v1/probes/nobody/snapshot'))).toEqual([404, 'not-found']);
    });
  });
});
