import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Attempt,
  allItems,
  answerOf,
  createPlumblineClient,
  type Metric,
  type RunInput,
  type TestInput,
} from './client.js';
import { ApiProblem, type Problem, problemFrom } from './problem.js';

const answering = (status: number, body: unknown, type = 'application/json') => {
  const seen: Request[] = [];
  const client = createPlumblineClient({
    baseUrl: 'http://control/',
    token: 'plb_x',
    fetch: async (request) => {
      seen.push(request);
      return new Response(status === 204 ? null : JSON.stringify(body), { status, headers: { 'content-type': type } });
    },
  });
  return { client, seen };
};
const params = { path: { name: 'a b' } };

describe('the client', () => {
  test('sends the token, and escapes names', async () => {
    const { client, seen } = answering(200, { name: 'a b' });
    await client.GET('/v1/sites/{name}', { params });
    expect([seen[0]?.url, seen[0]?.headers.get('authorization')]).toEqual([
      'http://control/v1/sites/a%20b',
      'Bearer plb_x',
    ]);
  });

  test('gives data, or throws the problem', async () => {
    expect(await answerOf(answering(200, { name: 'x' }).client.GET('/v1/sites/{name}', { params }))).toEqual({
      name: 'x',
    });
    expect(await answerOf(answering(204, null).client.DELETE('/v1/sites/{name}', { params }))).toBeUndefined();
    const said = {
      type: 'https://plumbline.example/errors/in-use',
      title: 't',
      status: 409,
      detail: 'd',
      errors: [{ detail: 'e', pointer: '/x' }],
    };
    const refused = answerOf(
      answering(409, said, 'application/problem+json').client.DELETE('/v1/sites/{name}', { params }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'in-use', status: 409, message: 'd', problem: said });
  });

  test('what is no problem is still told', () => {
    for (const body of [undefined, 'Bad Gateway', [], { type: 3, errors: [1, { detail: 'x' }] }]) {
      const problem = problemFrom(502, body);
      expect(problem).toBeInstanceOf(ApiProblem);
      expect(problem.message).toMatch(/502/);
    }
  });

  test('walks pages until there is no token', async () => {
    const asked: (string | undefined)[] = [];
    const items: number[] = [];
    for await (const item of allItems(async (token: string | undefined) => {
      asked.push(token);
      return token === undefined ? { items: [1, 2], nextPageToken: 't' } : { items: [3] };
    }))
      items.push(item);
    expect([items, asked]).toEqual([
      [1, 2, 3],
      [undefined, 't'],
    ]);
  });
});

// Read by the compiler, whether or not they run.
describe('the types', () => {
  test('of a test are told apart by kind', () => {
    const ofKind = (t: TestInput): unknown => {
      if (t.kind === 'rtt') return t.count;
      if (t.kind === 'parallel') return t.streams;
      if (t.kind === 'window-sweep') return t.windowsBytes;
      if (t.kind === 'congestion-control-matrix') return t.algorithms;
      if (t.kind === 'udp-step-up') return t.maxRateBps;
      if (t.kind === 'path-mtu') return t.ceilingBytes;
      if (t.kind === 'reachability') return t.port;
      if (t.kind === 'trace') return t.flows;
      if (t.kind === 'hop-characterization') return t.repetitions;
      if (t.kind === 'bounceback') return t.requestBytes;
      return undefined;
    };
    expect(ofKind({ kind: 'rtt', count: 3 })).toBe(3);
    expect(ofKind({ kind: 'parallel', streams: [4, 8] })).toEqual([4, 8]);
    expect(ofKind({ kind: 'window-sweep', windowsBytes: [65_536] })).toEqual([65_536]);
    expect(ofKind({ kind: 'congestion-control-matrix', algorithms: ['cubic'] })).toEqual(['cubic']);
    expect(ofKind({ kind: 'udp-step-up', maxRateBps: 1e6 })).toBe(1e6);
    expect(ofKind({ kind: 'reachability', port: 443 })).toBe(443);
    expect(ofKind({ kind: 'bounceback', requestBytes: 64 })).toBe(64);
    // @ts-expect-error a window is no parameter of rtt
    const wrong: TestInput = { kind: 'rtt', windowBytes: 65_536 };
    // @ts-expect-error there is no such kind
    const none: TestInput = { kind: 'magic' };
    expect([wrong.kind, none.kind]).toEqual(['rtt', 'magic']);
  });

  test('say what may be missing and what may be null', () => {
    expectTypeOf<Metric['value']>().toEqualTypeOf<number | null>();
    expectTypeOf<Attempt['reason']>().extract<'tool-missing'>().toEqualTypeOf<'tool-missing'>();
    expectTypeOf<RunInput['plan']>().extract<string>().toEqualTypeOf<string>();
    const { client } = answering(404, {});
    expectTypeOf(client.GET('/v1/sites/{name}', { params }))
      .resolves.toHaveProperty('error')
      .toEqualTypeOf<Problem | undefined>();
  });
});
