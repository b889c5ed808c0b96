import { describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import { addPair, must } from '../resources.js';
import { house } from './house.js';

describe('paths', () => {
  test('are made between known endpoints, replaced and deleted', async () => {
    const pair = await addPair(house.stack, house.probes, {
      path: { committedRateBps: 2e8, contract: { timeZone: 'Etc/UTC', serviceHours: '08:00-20:00' } },
    });
    const path = await must(house.stack, 'GET', `/v1/paths/${pair.path}`);
    expect(path).toMatchObject({ name: pair.path, committedRateBps: 2e8, rateLayer: 'ip' });
    const { source, destination } = path;
    const replaced = await house.stack.call('PUT', `/v1/paths/${pair.path}`, {
      body: { source, destination, rateLayer: 'ethernet' },
    });
    expect(replaced.status).toBe(200);
    expect(replaced.body).not.toHaveProperty('committedRateBps');
    expect((await house.stack.call('DELETE', `/v1/paths/${pair.path}`)).status).toBe(204);
    expect((await house.stack.call('GET', `/v1/paths/${pair.path}`)).status).toBe(404);
  });

  test('an end that is not there is pointed at', async () => {
    const { near, far } = await addPair(house.stack, house.probes);
    const ask = async (source: object, destination: object) => {
      const [, , ...pointers] = said(await house.stack.call('PUT', '/v1/paths/bad', { body: { source, destination } }));
      return pointers;
    };
    const end = (probe: string, endpoint = 'test') => ({ probe, endpoint });
    expect(await ask(end('nobody'), end(far))).toEqual(['/source/probe']);
    expect(await ask(end(near), end(far, 'other'))).toEqual(['/destination/endpoint']);
    expect(await ask(end('nobody'), end('neither'))).toEqual(['/destination/probe', '/source/probe']);
    expect(await ask(end(near), end(near))).toEqual(['/destination/endpoint']);
  });

  test('two versions of IP make no path', async () => {
    const { site, near } = await addPair(house.stack, house.probes);
    house.probes.add('six', site, '[2001:db8::6]:7430', [{ name: 'test', address: '2001:db8::6' }]);
    await must(house.stack, 'POST', '/v1/probes', {
      name: 'six',
      site,
      address: '[2001:db8::6]:7430',
      endpoints: [{ name: 'test', address: '2001:db8:0::6' }],
    });
    const body = { source: { probe: near, endpoint: 'test' }, destination: { probe: 'six', endpoint: 'test' } };
    const answer = await house.stack.call('PUT', '/v1/paths/mixed', { body });
    expect(said(answer)).toEqual([422, 'invalid-request', '/destination/endpoint']);
  });

  test('a path with a leg that waits stays', async () => {
    const pair = await addPair(house.stack, house.probes);
    const run = await must(house.stack, 'POST', '/v1/runs', { plan: { tests: [{ kind: 'rtt' }] }, paths: [pair.path] });
    const answer = await house.stack.call('DELETE', `/v1/paths/${pair.path}`);
    expect(said(answer)).toEqual([409, 'in-use']);
    expect(answer.text).toContain(String(run.id));
    await must(house.stack, 'POST', `/v1/runs/${run.id}/cancel`);
    expect((await house.stack.call('DELETE', `/v1/paths/${pair.path}`)).status).toBe(204);
  });
});
