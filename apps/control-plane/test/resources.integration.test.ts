import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backWith, FakeProbes } from './fake-probes.js';
import { said } from './problems.js';
import { addPair, must } from './resources.js';
import { type Stack, startStack } from './stack.js';

const probes = new FakeProbes();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ back: backWith(probes) });
});
afterAll(() => stack?.stop());

describe('sites', () => {
  const site = { timeZone: 'Europe/Berlin', labels: { country: 'de' }, sharedLinks: ['wan', { name: 'lan', capacity: 4 }] };

  test('are made, replaced whole, listed and deleted', async () => {
    const made = await stack.call('PUT', '/v1/sites/ber', { body: site });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'ber', ...site });
    const replaced = await stack.call('PUT', '/v1/sites/ber', { body: { timeZone: 'Etc/UTC' } });
    expect(replaced.status).toBe(200);
    expect(replaced.body).not.toHaveProperty('labels');
    expect((await stack.call('GET', '/v1/sites/ber')).body).toEqual(replaced.body);
    expect((await stack.call('DELETE', '/v1/sites/ber')).status).toBe(204);
    expect((await stack.call('DELETE', '/v1/sites/ber')).status).toBe(404);
    expect((await stack.call('GET', '/v1/sites/ber')).status).toBe(404);
  });

  test.each([
    ['an unknown field', { ...site, zone: 1 }, ['/zone']],
    ['two unknown fields in a link', { ...site, sharedLinks: [{ name: 'a', capacity: 1, x: 1, y: 2 }] }, ['/sharedLinks/0/x', '/sharedLinks/0/y']],
    ['no time zone', {}, ['/timeZone']],
    ['no such time zone', { timeZone: 'Mars/Olympus' }, ['/timeZone']],
    ['a label that is no text', { ...site, labels: { 'a/b~c': 1 } }, ['/labels/a~1b~0c']],
    ['a capacity of nothing', { ...site, sharedLinks: [{ name: 'a', capacity: 0 }] }, ['/sharedLinks/0/capacity']],
    ['no object', [], ['']],
  ])('%s is pointed at', async (_what, body, expected) => {
    const answer = await stack.call('PUT', '/v1/sites/ber', { body });
    expect(said(answer)).toEqual([422, 'invalid-request', ...expected]);
  });

  test('a site with a probe stays', async () => {
    const pair = await addPair(stack, probes);
    const answer = await stack.call('DELETE', `/v1/sites/${pair.site}`);
    expect(said(answer)).toEqual([409, 'in-use']);
    expect(answer.text).toContain(pair.near);
  });

  test('made by many at once, one of them made it', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => stack.call('PUT', '/v1/sites/rush', { body: site })));
    expect(answers.map((a) => a.status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
  });
});

describe('pages', () => {
  test('show everything once, in order, whatever their size', async () => {
    for (const n of [1, 2, 3, 4, 5]) await must(stack, 'PUT', `/v1/plans/page-${n}`, { tests: [{ kind: 'rtt' }] });
    const seen: unknown[] = [];
    let token = '';
    let pages = 0;
    do {
      const page = await must(stack, 'GET', `/v1/plans?pageSize=2${token && `&pageToken=${token}`}`);
      seen.push(...(Array.isArray(page.items) ? page.items.map((plan: { name: string }) => plan.name) : []));
      token = typeof page.nextPageToken === 'string' ? page.nextPageToken : '';
      pages++;
    } while (token !== '' && pages < 10);
    expect(seen).toEqual(['page-1', 'page-2', 'page-3', 'page-4', 'page-5']);
    expect(pages).toBe(3);
  });

  test.each([
    ['pageSize=-1', '#/query/pageSize'],
    ['pageSize=1e1', '#/query/pageSize'],
    ['pageSize=1&pageSize=2', '#/query/pageSize'],
    ['pageToken=bm8', '#/query/pageToken'],
    ['limit=5', '#/query/limit'],
  ])('%s is pointed at', async (query, pointer) => {
    const answer = await stack.call('GET', `/v1/sites?${query}`);
    expect(said(answer)).toEqual([422, 'invalid-request', pointer]);
  });

  test('a page size of 0 is the default, a huge one the largest', async () => {
    expect((await stack.call('GET', '/v1/sites?pageSize=0')).status).toBe(200);
    expect((await stack.call('GET', '/v1/sites?pageSize=999999')).status).toBe(200);
  });

  test('a token belongs to its filters', async () => {
    const pair = await addPair(stack, probes);
    for (let i = 0; i < 3; i++) await must(stack, 'POST', '/v1/runs', { plan: { tests: [{ kind: 'rtt' }] }, paths: [pair.path] });
    const page = await must(stack, 'GET', `/v1/runs?pageSize=1&path=${pair.path}`);
    const good = await stack.call('GET', `/v1/runs?pageSize=1&path=${pair.path}&pageToken=${page.nextPageToken}`);
    expect(good.status).toBe(200);
    const other = await stack.call('GET', `/v1/runs?pageSize=1&pageToken=${page.nextPageToken}`);
    expect(said(other)).toEqual([422, 'invalid-request', '#/query/pageToken']);
  });
});

describe('paths', () => {
  test('are made between known endpoints, replaced and deleted', async () => {
    const pair = await addPair(stack, probes, { path: { committedRateBps: 2e8, contract: { timeZone: 'Etc/UTC', serviceHours: '08:00-20:00' } } });
    const path = await must(stack, 'GET', `/v1/paths/${pair.path}`);
    expect(path).toMatchObject({ name: pair.path, committedRateBps: 2e8, rateLayer: 'ip' });
    const { source, destination } = path;
    const replaced = await stack.call('PUT', `/v1/paths/${pair.path}`, { body: { source, destination, rateLayer: 'ethernet' } });
    expect(replaced.status).toBe(200);
    expect(replaced.body).not.toHaveProperty('committedRateBps');
    expect((await stack.call('DELETE', `/v1/paths/${pair.path}`)).status).toBe(204);
    expect((await stack.call('GET', `/v1/paths/${pair.path}`)).status).toBe(404);
  });

  test('an end that is not there is pointed at', async () => {
    const { near, far } = await addPair(stack, probes);
    const ask = async (source: object, destination: object) => {
      const [, , ...pointers] = said(await stack.call('PUT', '/v1/paths/bad', { body: { source, destination } }));
      return pointers;
    };
    const end = (probe: string, endpoint = 'test') => ({ probe, endpoint });
    expect(await ask(end('nobody'), end(far))).toEqual(['/source/probe']);
    expect(await ask(end(near), end(far, 'other'))).toEqual(['/destination/endpoint']);
    expect(await ask(end('nobody'), end('neither'))).toEqual(['/destination/probe', '/source/probe']);
    expect(await ask(end(near), end(near))).toEqual(['/destination/endpoint']);
  });

  test('two versions of IP make no path', async () => {
    const { site, near } = await addPair(stack, probes);
    probes.add('six', site, '[2001:db8::6]:7430', [{ name: 'test', address: '2001:db8::6' }]);
    await must(stack, 'POST', '/v1/probes', { name: 'six', site, address: '[2001:db8::6]:7430', endpoints: [{ name: 'test', address: '2001:db8:0::6' }] });
    const body = { source: { probe: near, endpoint: 'test' }, destination: { probe: 'six', endpoint: 'test' } };
    const answer = await stack.call('PUT', '/v1/paths/mixed', { body });
    expect(said(answer)).toEqual([422, 'invalid-request', '/destination/endpoint']);
  });

  test('a path with a leg that waits stays', async () => {
    const pair = await addPair(stack, probes);
    const run = await must(stack, 'POST', '/v1/runs', { plan: { tests: [{ kind: 'rtt' }] }, paths: [pair.path] });
    const answer = await stack.call('DELETE', `/v1/paths/${pair.path}`);
    expect(said(answer)).toEqual([409, 'in-use']);
    expect(answer.text).toContain(String(run.id));
    await must(stack, 'POST', `/v1/runs/${run.id}/cancel`);
    expect((await stack.call('DELETE', `/v1/paths/${pair.path}`)).status).toBe(204);
  });
});

describe('plans', () => {
  const plan = { tests: [{ kind: 'single-stream', name: 'one' }], criteria: [{ test: 'one', metric: 'throughput', op: '>=', value: 1e6 }] };

  test('a changed plan is a new version, the same again is not', async () => {
    const first = await stack.call('PUT', '/v1/plans/nightly', { body: plan });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ name: 'nightly', version: 1, tests: [{ kind: 'single-stream', name: 'one', durationS: 10 }] });
    const again = await stack.call('PUT', '/v1/plans/nightly', { body: { criteria: plan.criteria, tests: plan.tests } });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const spelledOut = await stack.call('PUT', '/v1/plans/nightly', { body: { ...plan, tests: [{ durationS: 10, ...plan.tests[0] }] } });
    expect(spelledOut.body).toMatchObject({ version: 1 });
    const changed = await stack.call('PUT', '/v1/plans/nightly', { body: { ...plan, tests: [{ ...plan.tests[0], durationS: 5 }] } });
    expect([changed.status, changed.body]).toMatchObject([200, { version: 2, criteria: [{ value: 1e6 }] }]);
    expect((await stack.call('GET', '/v1/plans/nightly')).body).toEqual(changed.body);
  });

  test('many changes at once are as many versions', async () => {
    const bodies = [1, 2, 3, 4, 5, 6].map((count) => ({ tests: [{ kind: 'rtt', count }] }));
    const answers = await Promise.all(bodies.map((body) => stack.call('PUT', '/v1/plans/rush', { body })));
    expect(answers.filter((a) => a.status === 201)).toHaveLength(1);
    const versions = answers.map(({ body }) => (typeof body === 'object' && body !== null && 'version' in body ? body.version : undefined));
    expect(versions.sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('deleted and made again, the versions go on', async () => {
    await must(stack, 'PUT', '/v1/plans/phoenix', plan);
    expect((await stack.call('DELETE', '/v1/plans/phoenix')).status).toBe(204);
    expect((await stack.call('GET', '/v1/plans/phoenix')).status).toBe(404);
    expect((await stack.call('DELETE', '/v1/plans/phoenix')).status).toBe(404);
    const again = await stack.call('PUT', '/v1/plans/phoenix', { body: plan });
    expect([again.status, again.body]).toMatchObject([201, { version: 2 }]);
  });

  test.each([
    ['an unknown kind', { tests: [{ kind: 'magic' }] }, ['/tests/0/kind']],
    ['no kind', { tests: [{ durationS: 1 }] }, ['/tests/0/kind']],
    ['a wrong type in the second test', { tests: [{ kind: 'rtt' }, { kind: 'single-stream', durationS: 'ten' }] }, ['/tests/1/durationS']],
    ['an unknown field', { tests: [{ kind: 'rtt', foo: 1 }] }, ['/tests/0/foo']],
    ['no tests', { tests: [] }, ['/tests']],
    ['a criterion on no metric of the plan', { tests: [{ kind: 'rtt' }], criteria: [{ metric: 'throughput', op: '>', value: 1 }] }, ['/criteria/0/metric']],
    ['a criterion on no test of the plan', { tests: [{ kind: 'rtt' }], criteria: [{ test: 'x', metric: 'loss', op: '<', value: 1 }] }, ['/criteria/0/test']],
    ['an operator of another language', { tests: [{ kind: 'rtt' }], criteria: [{ metric: 'loss', op: '~', value: 1 }] }, ['/criteria/0/op']],
    ['a congestion control that is an option', { tests: [{ kind: 'single-stream', congestionControl: '-x' }] }, ['/tests/0/congestionControl']],
  ])('%s is pointed at', async (_what, body, expected) => {
    const answer = await stack.call('PUT', '/v1/plans/bad', { body });
    expect(said(answer)).toEqual([422, 'invalid-request', ...expected]);
    expect((await stack.call('GET', '/v1/plans/bad')).status).toBe(404);
  });
});

test('the catalogue has every kind with its schema, and a unit for every metric of it', async () => {
  const { kinds, metrics } = await must(stack, 'GET', '/v1/catalogue');
  const names = new Set(Array.isArray(metrics) ? metrics.map((m: { name: string }) => m.name) : []);
  const list: { kind: string; metrics: string[]; schema: Record<string, unknown> }[] = Array.isArray(kinds) ? kinds : [];
  expect(list.map((k) => k.kind)).toEqual(expect.arrayContaining(['single-stream', 'rtt']));
  for (const kind of list) {
    expect(kind.schema).toHaveProperty('properties.kind');
    expect(kind.metrics.filter((name) => !names.has(name))).toEqual([]);
  }
});
