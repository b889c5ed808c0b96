import { describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import { addPair, must } from '../resources.js';
import { house } from './house.js';

describe('sites', () => {
  const site = {
    timeZone: 'Europe/Berlin',
    labels: { country: 'de' },
    sharedLinks: ['wan', { name: 'lan', capacity: 4 }],
  };

  test('are made, replaced whole, listed and deleted', async () => {
    const made = await house.stack.call('PUT', '/v1/sites/ber', { body: site });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'ber', ...site });
    const replaced = await house.stack.call('PUT', '/v1/sites/ber', { body: { timeZone: 'Etc/UTC' } });
    expect(replaced.status).toBe(200);
    expect(replaced.body).not.toHaveProperty('labels');
    expect((await house.stack.call('GET', '/v1/sites/ber')).body).toEqual(replaced.body);
    expect((await house.stack.call('DELETE', '/v1/sites/ber')).status).toBe(204);
    expect((await house.stack.call('DELETE', '/v1/sites/ber')).status).toBe(404);
    expect((await house.stack.call('GET', '/v1/sites/ber')).status).toBe(404);
  });

  test.each([
    ['an unknown field', { ...site, zone: 1 }, ['/zone']],
    [
      'two unknown fields in a link',
      { ...site, sharedLinks: [{ name: 'a', capacity: 1, x: 1, y: 2 }] },
      ['/sharedLinks/0/x', '/sharedLinks/0/y'],
    ],
    ['no time zone', {}, ['/timeZone']],
    ['no such time zone', { timeZone: 'Mars/Olympus' }, ['/timeZone']],
    ['a label that is no text', { ...site, labels: { 'a/b~c': 1 } }, ['/labels/a~1b~0c']],
    ['a capacity of nothing', { ...site, sharedLinks: [{ name: 'a', capacity: 0 }] }, ['/sharedLinks/0/capacity']],
    ['no object', [], ['']],
  ])('%s is pointed at', async (_what, body, expected) => {
    const answer = await house.stack.call('PUT', '/v1/sites/ber', { body });
    expect(said(answer)).toEqual([422, 'invalid-request', ...expected]);
  });

  test('a site with a probe stays', async () => {
    const pair = await addPair(house.stack, house.probes);
    const answer = await house.stack.call('DELETE', `/v1/sites/${pair.site}`);
    expect(said(answer)).toEqual([409, 'in-use']);
    expect(answer.text).toContain(pair.near);
  });

  test('made by many at once, one of them made it', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => house.stack.call('PUT', '/v1/sites/rush', { body: site })),
    );
    expect(answers.map((a) => a.status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });
});

describe('pages', () => {
  test('show everything once, in order, whatever their size', async () => {
    for (const n of [1, 2, 3, 4, 5])
      await must(house.stack, 'PUT', `/v1/plans/page-${n}`, { tests: [{ kind: 'rtt' }] });
    const seen: unknown[] = [];
    let token = '';
    let pages = 0;
    do {
      const page = await must(house.stack, 'GET', `/v1/plans?pageSize=2${token && `&pageToken=${token}`}`);
      seen.push(...(Array.isArray(page.items) ? page.items.map((plan: { name: string }) => plan.name) : []));
      token = typeof page.nextPageToken === 'string' ? page.nextPageToken : '';
      pages++;
    } while (token !== '' && pages < 10);
    expect(seen.filter((name) => String(name).startsWith('page-'))).toEqual([
      'page-1',
      'page-2',
      'page-3',
      'page-4',
      'page-5',
    ]);
    expect([...seen].sort()).toEqual(seen);
    expect(pages).toBe(Math.ceil(seen.length / 2));
  });

  test.each([
    ['pageSize=-1', '#/query/pageSize'],
    ['pageSize=1e1', '#/query/pageSize'],
    ['pageSize=1&pageSize=2', '#/query/pageSize'],
    ['pageToken=bm8', '#/query/pageToken'],
    ['limit=5', '#/query/limit'],
  ])('%s is pointed at', async (query, pointer) => {
    const answer = await house.stack.call('GET', `/v1/sites?${query}`);
    expect(said(answer)).toEqual([422, 'invalid-request', pointer]);
  });

  test('a page size of 0 is the default, a huge one the largest', async () => {
    expect((await house.stack.call('GET', '/v1/sites?pageSize=0')).status).toBe(200);
    expect((await house.stack.call('GET', '/v1/sites?pageSize=999999')).status).toBe(200);
  });

  test('a token belongs to its filters', async () => {
    const pair = await addPair(house.stack, house.probes);
    for (let i = 0; i < 3; i++)
      await must(house.stack, 'POST', '/v1/runs', { plan: { tests: [{ kind: 'rtt' }] }, paths: [pair.path] });
    const page = await must(house.stack, 'GET', `/v1/runs?pageSize=1&path=${pair.path}`);
    const good = await house.stack.call('GET', `/v1/runs?pageSize=1&path=${pair.path}&pageToken=${page.nextPageToken}`);
    expect(good.status).toBe(200);
    const other = await house.stack.call('GET', `/v1/runs?pageSize=1&pageToken=${page.nextPageToken}`);
    expect(said(other)).toEqual([422, 'invalid-request', '#/query/pageToken']);
  });
});
