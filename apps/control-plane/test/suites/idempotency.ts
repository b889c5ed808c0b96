import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { said } from '../problems.js';
import { addPair, addToken, must, withDatabase } from '../resources.js';
import type { CallOptions } from '../stack.js';
import { house } from './house.js';

describe('asking twice', () => {
  beforeAll(async () => {
    await must(house.stack, 'PUT', '/v1/plans/two', {
      tests: [{ kind: 'rtt' }, { kind: 'single-stream', name: 'one' }],
    });
  });

  const post = (body: unknown, options: CallOptions = {}) => house.stack.call('POST', '/v1/runs', { body, ...options });
  const _inline = { tests: [{ kind: 'rtt' }] };
  const idOf = (answer: { body: unknown }) => z.object({ id: z.uuid() }).parse(answer.body).id;

  describe('Idempotency-Key', () => {
    const ask = async (key: string, more: object = {}, token?: string) => {
      const { path } = pair;
      return post({ plan: 'two', paths: [path], ...more }, { headers: { 'idempotency-key': key }, token });
    };
    let pair: { path: string };
    beforeAll(async () => {
      pair = await addPair(house.stack, house.probes);
    });

    test('the same request again gets the first answer again', async () => {
      const first = await ask('k1');
      const again = await ask('k1', { priority: 0 });
      expect([again.status, again.body, again.headers.get('location')]).toEqual([
        202,
        first.body,
        first.headers.get('location'),
      ]);
      expect([first, again].map((a) => a.headers.get('idempotency-replayed'))).toEqual([null, 'true']);
      expect(await must(house.stack, 'GET', `/v1/runs?path=${pair.path}`)).toMatchObject({
        items: [{ id: idOf(first) }],
      });
    });

    test('another request with it is refused', async () => {
      await ask('k2');
      expect(said(await ask('k2', { label: 'other' }))).toEqual([422, 'idempotency-mismatch']);
    });

    test('of many at once makes one run', async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask('k3', { label: 'k3' })));
      for (const answer of answers.filter((a) => a.status !== 202))
        expect(said(answer)).toEqual([409, 'idempotency-in-progress']);
      const runs = z.object({ items: z.array(z.unknown()) }).parse(await must(house.stack, 'GET', '/v1/runs?label=k3'));
      expect(runs.items).toHaveLength(1);
    });

    test('of a request that was refused can be used for the mended one', async () => {
      expect((await ask('k4', { plan: 'none' })).status).toBe(422);
      expect((await ask('k4')).status).toBe(202);
    });

    test('of another token is another key', async () => {
      const token = await addToken(house.stack.databaseUrl, ['run']);
      const [mine, theirs] = [await ask('k5'), await ask('k5', {}, token)];
      expect(idOf(theirs)).not.toBe(idOf(mine));
    });

    test('left behind by a process that died is taken over', async () => {
      const { rows } = await withDatabase(house.stack.databaseUrl, (db) =>
        db.query("SELECT scope FROM idempotency_key WHERE key = 'k1'"),
      );
      await withDatabase(house.stack.databaseUrl, (db) =>
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
});
