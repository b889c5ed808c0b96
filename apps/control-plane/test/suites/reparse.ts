import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { said } from '../problems.js';
import { addToken, must, withDatabase } from '../resources.js';
import type { CallOptions, Stack } from '../stack.js';

const Metric = z.object({ name: z.string(), value: z.number().nullable() });
const Step = z.object({ metrics: z.array(Metric), attempts: z.array(z.object({ metrics: z.array(Metric) })) });
const Run = z.object({ state: z.string(), legs: z.array(z.object({ steps: z.array(Step) })) });
const Reading = z.object({ outcome: z.string(), metrics: z.array(Metric) });
const Reparse = z.object({
  stored: z.boolean(),
  before: Reading,
  after: Reading,
  differences: z.array(z.unknown()),
  moreDifferences: z.number(),
});

/** Reading attempts again by HTTP. @param of a stack whose execution is real, with a path `one` between probes that have iperf3 and ping only */
export function reparseRoute(of: () => Stack): void {
  describe('reading an attempt again', () => {
    let run: string;
    const attempt = (leg = 0, step = 0, n = 0) => `${run}/legs/${leg}/steps/${step}/attempts/${n}/reparse`;
    const post = (path: string, body: unknown = {}, more: CallOptions = {}) =>
      of().call('POST', path, { body, ...more });
    const again = async (body: unknown) => {
      const answer = await post(attempt(), body);
      expect(answer.status).toBe(200);
      return Reparse.parse(answer.body);
    };
    const document = async () => Run.parse(await must(of(), 'GET', run));
    /** The mean that the record has: of the attempt, and of its step. */
    const means = async () => {
      const step = (await document()).legs[0]?.steps[0];
      const mean = (metrics: readonly z.output<typeof Metric>[] = []) =>
        metrics.find(({ name }) => name === 'rtt.mean')?.value;
      return [mean(step?.attempts[0]?.metrics), mean(step?.metrics)];
    };

    beforeAll(async () => {
      const plan = { tests: [{ kind: 'rtt', count: 3 }, { kind: 'bounceback' }] };
      const { id } = await must(of(), 'POST', '/v1/runs', { plan, paths: ['one'] });
      run = `/v1/runs/${id}`;
      const end = performance.now() + 20_000;
      // Ends: with the run, or after 20 s.
      while (['queued', 'running'].includes((await document()).state)) {
        if (performance.now() > end) throw new Error('the run did not end');
        await sleep(50);
      }
    });

    test('gives the record again, and keeps its hands off it', async () => {
      const same = await again({ store: false });
      expect(same).toMatchObject({ stored: false, differences: [], moreDifferences: 0 });
      expect(same.after).toEqual(same.before);
      expect(same.after.outcome).toBe('completed');
    });

    test('shows what differs; only with store the record follows, and its step with it', async () => {
      const [right] = await means();
      await withDatabase(of().databaseUrl, (db) =>
        db.query(
          `UPDATE metric SET value = 1 FROM step JOIN leg ON leg.id = step.leg_id
           WHERE metric.step_id = step.id AND leg.run_id = $1 AND metric.name = 'rtt.mean'`,
          [run.slice('/v1/runs/'.length)],
        ),
      );
      const differences = [{ path: '/metrics/rtt.mean', before: 1, after: right }];
      expect(await again({})).toMatchObject({ stored: false, differences });
      expect(await means()).toEqual([1, 1]);
      expect(await again({ store: true })).toMatchObject({ stored: true, differences });
      expect(await means()).toEqual([right, right]);
      expect(await again({ store: true })).toMatchObject({ stored: true, differences: [] });
      expect(await means()).toEqual([right, right]);
    });

    test('of an attempt that is not there is 404', async () => {
      const none = '/v1/runs/0190a0a0-0000-7000-8000-000000000000/legs/0/steps/0/attempts/0/reparse';
      for (const path of [attempt(1), attempt(0, 2), attempt(0, 0, 1), attempt(0, 0, -1), none])
        expect(said(await post(path))).toEqual([404, 'not-found']);
    });

    test('of one that left no output is 409, and says why', async () => {
      const answer = await post(attempt(0, 1), { store: true });
      expect(said(answer)).toEqual([409, 'not-reparsable']);
      expect(answer.body).toMatchObject({ detail: expect.stringMatching(/none of its programs left any output/) });
    });

    test.each([
      [{ store: true, stores: 1 }, '/stores'],
      [{ store: 'yes' }, '/store'],
    ])('with %j is 422', async (body, pointer) => {
      expect(said(await post(attempt(), body))).toEqual([422, 'invalid-request', pointer]);
    });

    test('needs the scope run', async () => {
      const [reads, runs] = await Promise.all(['read', 'run'].map((scope) => addToken(of().databaseUrl, [scope])));
      expect((await post(attempt(), { store: true }, { token: null })).status).toBe(401);
      const refused = await post(attempt(), { store: true }, { token: reads ?? null });
      expect(said(refused)).toEqual([403, 'insufficient-scope']);
      expect(refused.headers.get('www-authenticate')).toContain('scope="run"');
      expect((await post(attempt(), {}, { token: runs ?? null })).status).toBe(200);
    });
  });
}
