import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { said } from '../problems.js';
import { addPair, must, withDatabase } from '../resources.js';
import type { CallOptions } from '../stack.js';
import { house } from './house.js';

describe('runs', () => {
  beforeAll(async () => {
    await must(house.stack, 'PUT', '/v1/plans/two', {
      tests: [{ kind: 'rtt' }, { kind: 'single-stream', name: 'one' }],
    });
  });

  const post = (body: unknown, options: CallOptions = {}) => house.stack.call('POST', '/v1/runs', { body, ...options });
  const inline = { tests: [{ kind: 'rtt' }] };
  const idOf = (answer: { body: unknown }) => z.object({ id: z.uuid() }).parse(answer.body).id;

  describe('asking for a run', () => {
    test('answers 202 with the place of its document', async () => {
      const pair = await addPair(house.stack, house.probes, {
        path: { committedRateBps: 1e8, sharedLinks: ['wan', { name: 'lan', capacity: 2 }] },
        site: {
          sharedLinks: [
            { name: 'wan', capacity: 3 },
            { name: 'up', capacity: 8 },
          ],
        },
      });
      const answer = await post({
        plan: 'two',
        paths: [pair.path],
        label: 'before',
        priority: 7,
        notBefore: '2020-01-01T02:00:00+02:00',
      });
      expect(answer.status).toBe(202);
      const id = idOf(answer);
      expect(answer.body).toEqual({ id, state: 'queued' });
      expect(answer.headers.get('location')).toBe(`/v1/runs/${id}`);
      const run = await must(house.stack, 'GET', `/v1/runs/${id}`);
      const when = { startedAt: null, endedAt: null };
      const step = { state: 'queued', ...when, metrics: [], findings: [], attempts: [] };
      expect(run).toEqual({
        id,
        state: 'queued',
        verdict: 'none',
        plan: {
          name: 'two',
          version: 1,
          tests: [expect.objectContaining({ kind: 'rtt' }), expect.objectContaining({ name: 'one' })],
          criteria: [],
        },
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
      const rows = await withDatabase(house.stack.databaseUrl, (db) =>
        db.query('SELECT path_document, exclusive, priority FROM leg WHERE run_id = $1', [id]),
      );
      expect(rows.rows).toMatchObject([
        {
          exclusive: true,
          priority: 7,
          path_document: {
            path: { name: pair.path, committedRateBps: 1e8 },
            source: { probe: pair.near, endpoint: 'test', site: pair.site, address: '192.0.2.1' },
            destination: { probe: pair.far, address: '192.0.2.2' },
            sharedLinks: [
              { name: 'wan', capacity: 1 },
              { name: 'lan', capacity: 2 },
              { name: 'up', capacity: 8 },
            ],
          },
        },
      ]);
    });

    test('keeps the plan as it was', async () => {
      const { path } = await addPair(house.stack, house.probes);
      await must(house.stack, 'PUT', '/v1/plans/moving', inline);
      const { id } = await must(house.stack, 'POST', '/v1/runs', { plan: 'moving', paths: [path] });
      await must(house.stack, 'PUT', '/v1/plans/moving', { tests: [{ kind: 'rtt', count: 3 }] });
      await must(house.stack, 'DELETE', '/v1/plans/moving');
      expect(await must(house.stack, 'GET', `/v1/runs/${id}`)).toMatchObject({
        plan: { name: 'moving', version: 1, tests: [{ kind: 'rtt' }] },
      });
      expect(said(await post({ plan: 'moving', paths: [path] }))).toEqual([422, 'invalid-request', '/plan']);
    });

    test('of many paths has a leg for each, in order', async () => {
      const pairs = await Promise.all([1, 2, 3].map(() => addPair(house.stack, house.probes)));
      const paths = pairs.map((pair) => pair.path);
      const { id } = await must(house.stack, 'POST', '/v1/runs', { plan: inline, paths });
      const run = z
        .object({ plan: z.object({ name: z.string().optional() }), legs: z.array(z.object({ path: z.string() })) })
        .parse(await must(house.stack, 'GET', `/v1/runs/${id}`));
      expect(run.legs.map((leg) => leg.path)).toEqual(paths);
      expect(run.plan.name).toBeUndefined();
    });

    test('of the largest size is one request', async () => {
      const { near, far } = await addPair(house.stack, house.probes);
      const paths = Array.from({ length: 256 }, (_, i) => `wide-${i}`);
      await withDatabase(house.stack.databaseUrl, (db) =>
        db.query(
          `INSERT INTO path (name, source_probe, dest_probe, document, updated_at)
         SELECT name, $2, $3, jsonb_build_object('source', jsonb_build_object('probe', $2::text, 'endpoint', 'test'),
           'destination', jsonb_build_object('probe', $3::text, 'endpoint', 'test')), now() FROM unnest($1::text[]) AS name`,
          [paths, near, far],
        ),
      );
      const plan = { tests: Array.from({ length: 64 }, () => ({ kind: 'rtt' })) };
      const id = idOf(await post({ plan, paths }));
      const run = z
        .object({ legs: z.array(z.object({ steps: z.array(z.unknown()) })) })
        .parse(await must(house.stack, 'GET', `/v1/runs/${id}`));
      expect([run.legs.length, ...new Set(run.legs.map((leg) => leg.steps.length))]).toEqual([256, 64]);
      expect(said(await post({ plan, paths: [...paths, 'one-more'] }))).toEqual([422, 'invalid-request', '/paths']);
    });

    test.each([
      ['a plan that is not there', { plan: 'none', paths: ['P'] }, ['/plan']],
      ['paths that are not there', { plan: inline, paths: ['P', 'nope', 'neither'] }, ['/paths/1', '/paths/2']],
      ['a path twice', { plan: inline, paths: ['P', 'P'] }, ['/paths/1']],
      ['no path', { plan: inline, paths: [] }, ['/paths']],
      ['a plan that is a number', { plan: 5, paths: ['P'] }, ['/plan']],
      [
        'a broken inline plan',
        { plan: { tests: [{ kind: 'rtt', count: 'x', foo: 1 }] }, paths: ['P'] },
        ['/plan/tests/0/count', '/plan/tests/0/foo'],
      ],
      [
        'an inline plan with a criterion on nothing',
        { plan: { ...inline, criteria: [{ metric: 'cpu', op: '<', value: 1 }] }, paths: ['P'] },
        ['/plan/criteria/0/metric'],
      ],
      ['a priority too high', { plan: inline, paths: ['P'], priority: 101 }, ['/priority']],
      ['a time without a zone', { plan: inline, paths: ['P'], notBefore: '2030-01-01T00:00:00' }, ['/notBefore']],
      [
        'an end before its begin',
        { plan: inline, paths: ['P'], notBefore: '2031-01-02T00:00:00Z', notAfter: '2031-01-01T00:00:00Z' },
        ['/notAfter'],
      ],
      ['an end that is past', { plan: inline, paths: ['P'], notAfter: '2020-01-01T00:00:00Z' }, ['/notAfter']],
      ['an unknown field', { plan: inline, paths: ['P'], mesh: {} }, ['/mesh']],
    ])('with %s is refused and leaves nothing', async (_what, body, expected) => {
      const { path } = await addPair(house.stack, house.probes);
      const named = JSON.parse(JSON.stringify(body).replaceAll('"P"', JSON.stringify(path)));
      expect(said(await post(named))).toEqual([422, 'invalid-request', ...expected]);
      expect(await must(house.stack, 'GET', `/v1/runs?path=${path}`)).toEqual({ items: [] });
    });
  });

  describe('the list of runs', () => {
    test('is newest first, filtered, and says which paths', async () => {
      const [a, b] = [await addPair(house.stack, house.probes), await addPair(house.stack, house.probes)];
      const ids: unknown[] = [];
      for (const paths of [[a.path], [b.path], [b.path, a.path]])
        ids.push((await must(house.stack, 'POST', '/v1/runs', { plan: 'two', paths, label: a.path })).id);
      const list = async (query: string) =>
        z
          .object({ items: z.array(z.object({ id: z.string(), paths: z.array(z.string()) })) })
          .parse(await must(house.stack, 'GET', `/v1/runs?${query}`)).items;
      expect((await list(`label=${a.path}`)).map((run) => run.id)).toEqual([...ids].reverse());
      expect((await list(`path=${a.path}`)).map((run) => run.paths)).toEqual([[b.path, a.path], [a.path]]);
      await must(house.stack, 'POST', `/v1/runs/${ids[1]}/cancel`);
      expect((await list(`label=${a.path}&state=cancelled`)).map((run) => run.id)).toEqual([ids[1]]);
      expect(await list(`label=${a.path}&plan=other`)).toEqual([]);
      const seen: string[] = [];
      let token: unknown;
      do {
        const page = await must(
          house.stack,
          'GET',
          `/v1/runs?label=${a.path}&pageSize=1${token ? `&pageToken=${token}` : ''}`,
        );
        seen.push(
          ...z
            .array(z.object({ id: z.string() }))
            .parse(page.items)
            .map((run) => run.id),
        );
        token = page.nextPageToken;
      } while (token && seen.length < 9);
      expect(seen).toEqual([...ids].reverse());
    });

    test.each([
      ['state=done', '#/query/state'],
      ['plan=-x', '#/query/plan'],
      ['label=', '#/query/label'],
      ['sort=x', '#/query/sort'],
    ])('%s is pointed at', async (query, pointer) => {
      expect(said(await house.stack.call('GET', `/v1/runs?${query}`))).toEqual([422, 'invalid-request', pointer]);
    });
  });

  describe('cancelling', () => {
    test('ends a run, and again is the same', async () => {
      const { path } = await addPair(house.stack, house.probes);
      const { id } = await must(house.stack, 'POST', '/v1/runs', { plan: 'two', paths: [path] });
      for (const _ of [1, 2]) {
        const answer = await house.stack.call('POST', `/v1/runs/${id}/cancel`);
        expect([answer.status, answer.body]).toEqual([202, { id, state: 'cancelled' }]);
      }
    });

    test('a run that has ended is a conflict', async () => {
      const { path } = await addPair(house.stack, house.probes);
      const { id } = await must(house.stack, 'POST', '/v1/runs', { plan: 'two', paths: [path] });
      await withDatabase(house.stack.databaseUrl, (db) =>
        db.query("UPDATE run SET state = 'succeeded', ended_at = now() WHERE id = $1", [id]),
      );
      expect(said(await house.stack.call('POST', `/v1/runs/${id}/cancel`))).toEqual([409, 'conflict']);
    });

    test.each(['0190a0a0-0000-7000-8000-000000000000', 'nope', '%00', '..%2f..'])(
      'of %s: there is no such run',
      async (id) => {
        expect(said(await house.stack.call('POST', `/v1/runs/${id}/cancel`))).toEqual([404, 'not-found']);
        expect(said(await house.stack.call('GET', `/v1/runs/${id}`))).toEqual([404, 'not-found']);
        expect(said(await house.stack.call('GET', `/v1/runs/${id}/events`))).toEqual([404, 'not-found']);
      },
    );
  });
});
