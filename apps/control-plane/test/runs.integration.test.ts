import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { backWith, FakeProbes } from './fake-probes.js';
import { said } from './problems.js';
import { addPair, addToken, must, withDatabase } from './resources.js';
import { type CallOptions, type Stack, startStack } from './stack.js';

const probes = new FakeProbes();
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ back: backWith(probes) });
  await must(stack, 'PUT', '/v1/plans/two', { tests: [{ kind: 'rtt' }, { kind: 'single-stream', name: 'one' }] });
});
afterAll(() => stack?.stop());

const post = (body: unknown, options: CallOptions = {}) => stack.call('POST', '/v1/runs', { body, ...options });
const inline = { tests: [{ kind: 'rtt' }] };
const idOf = (answer: { body: unknown }) => z.object({ id: z.uuid() }).parse(answer.body).id;

describe('asking for a run', () => {
  test('answers 202 with the place of its document', async () => {
    const pair = await addPair(stack, probes, {
      path: { committedRateBps: 1e8, sharedLinks: ['wan', { name: 'lan', capacity: 2 }] },
      site: { sharedLinks: [{ name: 'wan', capacity: 3 }, { name: 'up', capacity: 8 }] },
    });
    const answer = await post({ plan: 'two', paths: [pair.path], label: 'before', priority: 7, notBefore: '2020-01-01T02:00:00+02:00' });
    expect(answer.status).toBe(202);
    const id = idOf(answer);
    expect(answer.body).toEqual({ id, state: 'queued' });
    expect(answer.headers.get('location')).toBe(`/v1/runs/${id}`);
    const run = await must(stack, 'GET', `/v1/runs/${id}`);
    const when = { startedAt: null, endedAt: null };
    const step = { state: 'queued', ...when, metrics: [], findings: [], attempts: [] };
    expect(run).toEqual({
      id,
      state: 'queued',
      verdict: 'none',
      plan: { name: 'two', version: 1, tests: [expect.objectContaining({ kind: 'rtt' }), expect.objectContaining({ name: 'one' })], criteria: [] },
      label: 'before',
      priority: 7,
      notBefore: '2020-01-01T00:00:00.000Z',
      createdAt: expect.any(String),
      ...when,
      legs: [
        {
          path: pair.path,
          state: 'queued',
          verdict: 'none',
          criteria: [],
          ...when,
          steps: [
            { kind: 'rtt', ...step },
            { kind: 'single-stream', name: 'one', ...step },
          ],
        },
      ],
    });
    const rows = await withDatabase(stack.databaseUrl, (db) => db.query('SELECT path_document, exclusive, priority FROM leg WHERE run_id = $1', [id]));
    expect(rows.rows).toMatchObject([
      {
        exclusive: true,
        priority: 7,
        path_document: {
          path: { name: pair.path, committedRateBps: 1e8 },
          source: { probe: pair.near, endpoint: 'test', site: pair.site, address: '192.0.2.1' },
          destination: { probe: pair.far, address: '192.0.2.2' },
          sharedLinks: [{ name: 'wan', capacity: 1 }, { name: 'lan', capacity: 2 }, { name: 'up', capacity: 8 }],
        },
      },
    ]);
  });

  test('keeps the plan as it was', async () => {
    const { path } = await addPair(stack, probes);
    await must(stack, 'PUT', '/v1/plans/moving', inline);
    const { id } = await must(stack, 'POST', '/v1/runs', { plan: 'moving', paths: [path] });
    await must(stack, 'PUT', '/v1/plans/moving', { tests: [{ kind: 'rtt', count: 3 }] });
    await must(stack, 'DELETE', '/v1/plans/moving');
    expect(await must(stack, 'GET', `/v1/runs/${id}`)).toMatchObject({ plan: { name: 'moving', version: 1, tests: [{ kind: 'rtt' }] } });
    expect(said(await post({ plan: 'moving', paths: [path] }))).toEqual([422, 'invalid-request', '/plan']);
  });

  test('of many paths has a leg for each, in order', async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => addPair(stack, probes)));
    const paths = pairs.map((pair) => pair.path);
    const { id } = await must(stack, 'POST', '/v1/runs', { plan: inline, paths });
    const run = z.object({ plan: z.object({ name: z.string().optional() }), legs: z.array(z.object({ path: z.string() })) }).parse(await must(stack, 'GET', `/v1/runs/${id}`));
    expect(run.legs.map((leg) => leg.path)).toEqual(paths);
    expect(run.plan.name).toBeUndefined();
  });

  test('of the largest size is one request', async () => {
    const { near, far } = await addPair(stack, probes);
    const paths = Array.from({ length: 256 }, (_, i) => `wide-${i}`);
    await withDatabase(stack.databaseUrl, (db) =>
      db.query(
        `INSERT INTO path (name, source_probe, dest_probe, document, updated_at)
         SELECT name, $2, $3, jsonb_build_object('source', jsonb_build_object('probe', $2::text, 'endpoint', 'test'),
           'destination', jsonb_build_object('probe', $3::text, 'endpoint', 'test')), now() FROM unnest($1::text[]) AS name`,
        [paths, near, far],
      ),
    );
    const plan = { tests: Array.from({ length: 64 }, () => ({ kind: 'rtt' })) };
    const id = idOf(await post({ plan, paths }));
    const run = z.object({ legs: z.array(z.object({ steps: z.array(z.unknown()) })) }).parse(await must(stack, 'GET', `/v1/runs/${id}`));
    expect([run.legs.length, ...new Set(run.legs.map((leg) => leg.steps.length))]).toEqual([256, 64]);
    expect(said(await post({ plan, paths: [...paths, 'one-more'] }))).toEqual([422, 'invalid-request', '/paths']);
  });

  test.each([
    ['a plan that is not there', { plan: 'none', paths: ['P'] }, ['/plan']],
    ['paths that are not there', { plan: inline, paths: ['P', 'nope', 'neither'] }, ['/paths/1', '/paths/2']],
    ['a path twice', { plan: inline, paths: ['P', 'P'] }, ['/paths/1']],
    ['no path', { plan: inline, paths: [] }, ['/paths']],
    ['a plan that is a number', { plan: 5, paths: ['P'] }, ['/plan']],
    ['a broken inline plan', { plan: { tests: [{ kind: 'rtt', count: 'x', foo: 1 }] }, paths: ['P'] }, ['/plan/tests/0/count', '/plan/tests/0/foo']],
    ['an inline plan with a criterion on nothing', { plan: { ...inline, criteria: [{ metric: 'cpu', op: '<', value: 1 }] }, paths: ['P'] }, ['/plan/criteria/0/metric']],
    ['a priority too high', { plan: inline, paths: ['P'], priority: 101 }, ['/priority']],
    ['a time without a zone', { plan: inline, paths: ['P'], notBefore: '2030-01-01T00:00:00' }, ['/notBefore']],
    ['an end before its begin', { plan: inline, paths: ['P'], notBefore: '2031-01-02T00:00:00Z', notAfter: '2031-01-01T00:00:00Z' }, ['/notAfter']],
    ['an end that is past', { plan: inline, paths: ['P'], notAfter: '2020-01-01T00:00:00Z' }, ['/notAfter']],
    ['an unknown field', { plan: inline, paths: ['P'], mesh: {} }, ['/mesh']],
  ])('with %s is refused and leaves nothing', async (_what, body, expected) => {
    const { path } = await addPair(stack, probes);
    const named = JSON.parse(JSON.stringify(body).replaceAll('"P"', JSON.stringify(path)));
    expect(said(await post(named))).toEqual([422, 'invalid-request', ...expected]);
    expect(await must(stack, 'GET', `/v1/runs?path=${path}`)).toEqual({ items: [] });
  });
});

describe('Idempotency-Key', () => {
  const ask = async (key: string, more: object = {}, token?: string) => {
    const { path } = pair;
    return post({ plan: 'two', paths: [path], ...more }, { headers: { 'idempotency-key': key }, token });
  };
  let pair: { path: string };
  beforeAll(async () => {
    pair = await addPair(stack, probes);
  });

  test('the same request again gets the first answer again', async () => {
    const first = await ask('k1');
    const again = await ask('k1', { priority: 0 });
    expect([again.status, again.body, again.headers.get('location')]).toEqual([202, first.body, first.headers.get('location')]);
    expect([first, again].map((a) => a.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await must(stack, 'GET', `/v1/runs?path=${pair.path}`)).toMatchObject({ items: [{ id: idOf(first) }] });
  });

  test('another request with it is refused', async () => {
    await ask('k2');
    expect(said(await ask('k2', { label: 'other' }))).toEqual([422, 'idempotency-mismatch']);
  });

  test('of many at once makes one run', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask('k3', { label: 'k3' })));
    for (const answer of answers.filter((a) => a.status !== 202)) expect(said(answer)).toEqual([409, 'idempotency-in-progress']);
    const runs = z.object({ items: z.array(z.unknown()) }).parse(await must(stack, 'GET', '/v1/runs?label=k3'));
    expect(runs.items).toHaveLength(1);
  });

  test('of a request that was refused can be used for the mended one', async () => {
    expect((await ask('k4', { plan: 'none' })).status).toBe(422);
    expect((await ask('k4')).status).toBe(202);
  });

  test('of another token is another key', async () => {
    const token = await addToken(stack.databaseUrl, ['run']);
    const [mine, theirs] = [await ask('k5'), await ask('k5', {}, token)];
    expect(idOf(theirs)).not.toBe(idOf(mine));
  });

  test('left behind by a process that died is taken over', async () => {
    const { rows } = await withDatabase(stack.databaseUrl, (db) => db.query("SELECT scope FROM idempotency_key WHERE key = 'k1'"));
    await withDatabase(stack.databaseUrl, (db) =>
      db.query(
        "INSERT INTO idempotency_key (scope, key, request_hash, created_at, expires_at) VALUES ($1, 'k6', 'x', now() - interval '2 min', now() + interval '1 day')",
        [rows[0]?.scope],
      ),
    );
    expect((await ask('k6')).status).toBe(202);
  });

  test.each(['two words', '\u00fc', 'x'.repeat(256)])('%j is no key', async (key) => {
    expect(said(await ask(key))).toEqual([422, 'invalid-request', '#/header/Idempotency-Key']);
  });
});

describe('the list of runs', () => {
  test('is newest first, filtered, and says which paths', async () => {
    const [a, b] = [await addPair(stack, probes), await addPair(stack, probes)];
    const ids: unknown[] = [];
    for (const paths of [[a.path], [b.path], [b.path, a.path]])
      ids.push((await must(stack, 'POST', '/v1/runs', { plan: 'two', paths, label: a.path })).id);
    const list = async (query: string) => z.object({ items: z.array(z.object({ id: z.string(), paths: z.array(z.string()) })) }).parse(await must(stack, 'GET', `/v1/runs?${query}`)).items;
    expect((await list(`label=${a.path}`)).map((run) => run.id)).toEqual([...ids].reverse());
    expect((await list(`path=${a.path}`)).map((run) => run.paths)).toEqual([[b.path, a.path], [a.path]]);
    await must(stack, 'POST', `/v1/runs/${ids[1]}/cancel`);
    expect((await list(`label=${a.path}&state=cancelled`)).map((run) => run.id)).toEqual([ids[1]]);
    expect(await list(`label=${a.path}&plan=other`)).toEqual([]);
    const seen: string[] = [];
    let token: unknown;
    do {
      const page = await must(stack, 'GET', `/v1/runs?label=${a.path}&pageSize=1${token ? `&pageToken=${token}` : ''}`);
      seen.push(...z.array(z.object({ id: z.string() })).parse(page.items).map((run) => run.id));
      token = page.nextPageToken;
    } while (token && seen.length < 9);
    expect(seen).toEqual([...ids].reverse());
  });

  test.each([['state=done', '#/query/state'], ['plan=-x', '#/query/plan'], ['label=', '#/query/label'], ['sort=x', '#/query/sort']])('%s is pointed at', async (query, pointer) => {
    expect(said(await stack.call('GET', `/v1/runs?${query}`))).toEqual([422, 'invalid-request', pointer]);
  });
});

describe('cancelling', () => {
  test('ends a run, and again is the same', async () => {
    const { path } = await addPair(stack, probes);
    const { id } = await must(stack, 'POST', '/v1/runs', { plan: 'two', paths: [path] });
    for (const _ of [1, 2]) {
      const answer = await stack.call('POST', `/v1/runs/${id}/cancel`);
      expect([answer.status, answer.body]).toEqual([202, { id, state: 'cancelled' }]);
    }
  });

  test('a run that has ended is a conflict', async () => {
    const { path } = await addPair(stack, probes);
    const { id } = await must(stack, 'POST', '/v1/runs', { plan: 'two', paths: [path] });
    await withDatabase(stack.databaseUrl, (db) => db.query("UPDATE run SET state = 'succeeded', ended_at = now() WHERE id = $1", [id]));
    expect(said(await stack.call('POST', `/v1/runs/${id}/cancel`))).toEqual([409, 'conflict']);
  });

  test.each(['0190a0a0-0000-7000-8000-000000000000', 'nope', '%00', '..%2f..'])('of %s: there is no such run', async (id) => {
    expect(said(await stack.call('POST', `/v1/runs/${id}/cancel`))).toEqual([404, 'not-found']);
    expect(said(await stack.call('GET', `/v1/runs/${id}`))).toEqual([404, 'not-found']);
    expect(said(await stack.call('GET', `/v1/runs/${id}/events`))).toEqual([404, 'not-found']);
  });
});
