import { describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import { must } from '../resources.js';
import { house } from './house.js';

describe('plans', () => {
  const plan = {
    tests: [{ kind: 'single-stream', name: 'one' }],
    criteria: [{ test: 'one', metric: 'throughput', op: '>=', value: 1e6 }],
  };

  test('a changed plan is a new version, the same again is not', async () => {
    const first = await house.stack.call('PUT', '/v1/plans/nightly', { body: plan });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      name: 'nightly',
      version: 1,
      tests: [{ kind: 'single-stream', name: 'one', durationS: 10 }],
    });
    const again = await house.stack.call('PUT', '/v1/plans/nightly', {
      body: { criteria: plan.criteria, tests: plan.tests },
    });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const spelledOut = await house.stack.call('PUT', '/v1/plans/nightly', {
      body: { ...plan, tests: [{ durationS: 10, ...plan.tests[0] }] },
    });
    expect(spelledOut.body).toMatchObject({ version: 1 });
    const changed = await house.stack.call('PUT', '/v1/plans/nightly', {
      body: { ...plan, tests: [{ ...plan.tests[0], durationS: 5 }] },
    });
    expect([changed.status, changed.body]).toMatchObject([200, { version: 2, criteria: [{ value: 1e6 }] }]);
    expect((await house.stack.call('GET', '/v1/plans/nightly')).body).toEqual(changed.body);
  });

  test('many changes at once are as many versions', async () => {
    const bodies = [1, 2, 3, 4, 5, 6].map((count) => ({ tests: [{ kind: 'rtt', count }] }));
    const answers = await Promise.all(bodies.map((body) => house.stack.call('PUT', '/v1/plans/rush', { body })));
    expect(answers.filter((a) => a.status === 201)).toHaveLength(1);
    const versions = answers.map(({ body }) =>
      typeof body === 'object' && body !== null && 'version' in body ? body.version : undefined,
    );
    expect(versions.sort()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('deleted and made again, the versions go on', async () => {
    await must(house.stack, 'PUT', '/v1/plans/phoenix', plan);
    expect((await house.stack.call('DELETE', '/v1/plans/phoenix')).status).toBe(204);
    expect((await house.stack.call('GET', '/v1/plans/phoenix')).status).toBe(404);
    expect((await house.stack.call('DELETE', '/v1/plans/phoenix')).status).toBe(404);
    const again = await house.stack.call('PUT', '/v1/plans/phoenix', { body: plan });
    expect([again.status, again.body]).toMatchObject([201, { version: 2 }]);
  });

  test.each([
    ['an unknown kind', { tests: [{ kind: 'magic' }] }, ['/tests/0/kind']],
    ['no kind', { tests: [{ durationS: 1 }] }, ['/tests/0/kind']],
    [
      'a wrong type in the second test',
      { tests: [{ kind: 'rtt' }, { kind: 'single-stream', durationS: 'ten' }] },
      ['/tests/1/durationS'],
    ],
    ['an unknown field', { tests: [{ kind: 'rtt', foo: 1 }] }, ['/tests/0/foo']],
    ['no tests', { tests: [] }, ['/tests']],
    [
      'a test out of its limits beside a criterion on its labels',
      {
        tests: [{ kind: 'rtt', intervalS: 0 }],
        criteria: [{ metric: 'loss', labels: { direction: 'forward' }, op: '<', value: 1 }],
      },
      ['/tests/0/intervalS'],
    ],
    [
      'a criterion on no metric of the plan',
      { tests: [{ kind: 'rtt' }], criteria: [{ metric: 'throughput', op: '>', value: 1 }] },
      ['/criteria/0/metric'],
    ],
    [
      'a criterion on no test of the plan',
      { tests: [{ kind: 'rtt' }], criteria: [{ test: 'x', metric: 'loss', op: '<', value: 1 }] },
      ['/criteria/0/test'],
    ],
    [
      'an operator of another language',
      { tests: [{ kind: 'rtt' }], criteria: [{ metric: 'loss', op: '~', value: 1 }] },
      ['/criteria/0/op'],
    ],
    [
      'a congestion control that is an option',
      { tests: [{ kind: 'single-stream', congestionControl: '-x' }] },
      ['/tests/0/congestionControl'],
    ],
    [
      'what its tool cannot do',
      { tests: [{ kind: 'single-stream', tool: 'nuttcp', omitS: 2, congestionControl: 'cubic' }] },
      ['/tests/0/congestionControl', '/tests/0/omitS'],
    ],
  ])('%s is pointed at', async (_what, body, expected) => {
    const answer = await house.stack.call('PUT', '/v1/plans/bad', { body });
    expect(said(answer)).toEqual([422, 'invalid-request', ...expected]);
    expect((await house.stack.call('GET', '/v1/plans/bad')).status).toBe(404);
  });
});

test('the catalogue has every kind with its schema, and a unit for every metric of it', async () => {
  const { kinds, metrics } = await must(house.stack, 'GET', '/v1/catalogue');
  const names = new Set(Array.isArray(metrics) ? metrics.map((m: { name: string }) => m.name) : []);
  const list: { kind: string; metrics: string[]; schema: Record<string, unknown> }[] = Array.isArray(kinds)
    ? kinds
    : [];
  expect(list.map((k) => k.kind)).toEqual(expect.arrayContaining(['single-stream', 'rtt']));
  for (const kind of list) {
    expect(kind.schema).toHaveProperty('properties.kind');
    expect(kind.metrics.filter((name) => !names.has(name))).toEqual([]);
  }
});
