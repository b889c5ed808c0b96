import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import { addPair, must, withDatabase } from '../resources.js';
import { house } from './house.js';

async function newRun(): Promise<string> {
  const { path } = await addPair(house.stack, house.probes);
  return String(
    (await must(house.stack, 'POST', '/v1/runs', { plan: { tests: [{ kind: 'rtt' }] }, paths: [path] })).id,
  );
}

/** What a worker does: one statement that numbers, stores and tells. */
const append = (runId: string, type: string, data: object, replay = true): Promise<unknown> =>
  withDatabase(house.stack.databaseUrl, (db) =>
    db.query(
      `WITH base AS (UPDATE run SET last_event = last_event + 1 WHERE id = $1 RETURNING last_event)
       INSERT INTO run_event (run_id, seq, type, data, replay) SELECT $1, last_event, $2, $3, $4 FROM base RETURNING pg_notify('run_event', $1::text)`,
      [runId, type, JSON.stringify(data), replay],
    ),
  );
async function end(runId: string, state = 'succeeded'): Promise<void> {
  await withDatabase(house.stack.databaseUrl, async (db) => {
    await db.query('BEGIN');
    await db.query('UPDATE run SET state = $2, ended_at = now() WHERE id = $1', [runId, state]);
    await db.query('UPDATE run SET last_event = last_event + 1 WHERE id = $1', [runId]);
    await db.query(
      "INSERT INTO run_event (run_id, seq, type, data) SELECT id, last_event, 'run', $2 FROM run WHERE id = $1",
      [runId, JSON.stringify({ state })],
    );
    await db.query('COMMIT');
    await db.query("SELECT pg_notify('run_event', $1)", [runId]);
  });
}

interface Watched {
  readonly response: IncomingMessage;
  /** Everything that has come so far. */
  text(): string;
  ids(): number[];
  ended: Promise<void>;
  leave(): void;
}
function watch(
  runId: string,
  options: { query?: string; headers?: Record<string, string>; url?: string } = {},
): Promise<Watched> {
  return new Promise((resolve, reject) => {
    const request = get(
      `${options.url ?? house.stack.url}/v1/runs/${runId}/events${options.query ?? ''}`,
      { headers: { authorization: `Bearer ${house.stack.token}`, ...options.headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        resolve({
          response,
          text: () => text,
          ids: () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
          ended: new Promise((done) => response.once('close', () => done())),
          leave: () => request.destroy(),
        });
      },
    );
    request.once('error', reject);
  });
}
async function until(what: () => boolean, forMs = 8_000): Promise<void> {
  const deadline = performance.now() + forMs;
  // Ends at the deadline.
  while (!what()) {
    if (performance.now() > deadline) throw new Error('it did not happen in time');
    await sleep(10);
  }
}

describe('the stream of a run', () => {
  test('shows what was, then what comes, and ends with the run', async () => {
    const id = await newRun();
    await append(id, 'leg', { leg: 0, state: 'running' });
    const seen = await watch(id);
    expect(seen.response.statusCode).toBe(200);
    expect(seen.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    await until(() => seen.ids().length === 2);
    await append(id, 'step', { leg: 0, step: 0, state: 'running' });
    await until(() => seen.ids().length === 3);
    await end(id);
    await seen.ended;
    expect(seen.ids()).toEqual([1, 2, 3, 4]);
    expect(seen.text()).toMatch(/^retry: \d+\n\nid: 1\nevent: run\ndata: \{"at":"[^"]+Z","state":"queued"\}\n\n/);
    expect(seen.text()).toMatch(/id: 4\nevent: run\ndata: \{"at":"[^"]+","state":"succeeded"\}\n\n$/);
    expect(seen.response.complete).toBe(true);
  });

  test('of a run that has ended ends after its last event', async () => {
    const id = await newRun();
    await end(id, 'failed');
    const seen = await watch(id);
    await seen.ended;
    expect(seen.ids()).toEqual([1, 2]);
  });

  test('goes on after the id that was seen last; nothing is left after the end', async () => {
    const id = await newRun();
    for (const step of [0, 1, 2]) await append(id, 'step', { leg: 0, step });
    await end(id);
    const resumed = async (options: Parameters<typeof watch>[1]) => {
      const seen = await watch(id, options);
      await seen.ended;
      return [seen.response.statusCode, ...seen.ids()];
    };
    expect(await resumed({ headers: { 'last-event-id': '3' } })).toEqual([200, 4, 5]);
    expect(await resumed({ query: '?after=4' })).toEqual([200, 5]);
    expect(await resumed({ query: '?after=1', headers: { 'last-event-id': '4' } })).toEqual([200, 5]);
    expect(await resumed({ headers: { 'last-event-id': '5' } })).toEqual([204]);
  });

  test('replays samples thinned, and shows new ones whole', async () => {
    const id = await newRun();
    for (let i = 0; i < 8; i++) await append(id, 'sample', { elapsedMs: i * 250 }, i % 4 === 0);
    const seen = await watch(id);
    await until(() => seen.ids().length >= 3);
    expect(seen.ids()).toEqual([1, 2, 6]);
    for (let i = 8; i < 12; i++) await append(id, 'sample', { elapsedMs: i * 250 }, i % 4 === 0);
    await end(id);
    await seen.ended;
    expect(seen.ids()).toEqual([1, 2, 6, 10, 11, 12, 13, 14]);
  });

  test('is the same from every replica', async () => {
    const id = await newRun();
    const other = await house.stack.another();
    const [here, there] = await Promise.all([watch(id), watch(id, { url: other.url })]);
    for (const step of [0, 1]) await append(id, 'step', { step });
    await end(id);
    await Promise.all([here.ended, there.ended]);
    expect(there.ids()).toEqual([1, 2, 3, 4]);
    expect(there.text()).toBe(here.text());
  });

  test('also comes when the signal was lost', async () => {
    const id = await newRun();
    const seen = await watch(id);
    await until(() => seen.ids().length === 1);
    await withDatabase(house.stack.databaseUrl, async (db) => {
      await db.query("INSERT INTO run_event (run_id, seq, type, data) VALUES ($1, 2, 'log', '{}')", [id]);
      await db.query('UPDATE run SET last_event = 2 WHERE id = $1', [id]);
    });
    await until(() => seen.ids().length === 2);
    seen.leave();
  });

  test('of a thousand events arrives whole and in order', async () => {
    const id = await newRun();
    await withDatabase(house.stack.databaseUrl, async (db) => {
      await db.query(
        "INSERT INTO run_event (run_id, seq, type, data) SELECT $1, n, 'log', jsonb_build_object('text', repeat('x', 2000)) FROM generate_series(2, 1300) AS n",
        [id],
      );
      await db.query('UPDATE run SET last_event = 1300 WHERE id = $1', [id]);
    });
    const seen = await watch(id);
    await end(id);
    await seen.ended;
    expect(seen.ids()).toEqual(Array.from({ length: 1301 }, (_, i) => i + 1));
  });

  test('is given up when its client leaves', async () => {
    const id = await newRun();
    const streams = async () =>
      Number(/^plumbline_event_streams (\d+)$/m.exec((await house.stack.call('GET', '/metrics')).text)?.[1]);
    const before = await streams();
    const watching = await Promise.all([1, 2, 3].map(() => watch(id)));
    expect(await streams()).toBe(before + 3);
    for (const seen of watching) seen.leave();
    const deadline = performance.now() + 8_000;
    // Ends at the deadline.
    while ((await streams()) !== before) {
      expect(performance.now()).toBeLessThan(deadline);
      await sleep(50);
    }
  });

  test.each(['-1', 'x', '1.5', '99999999999'])('Last-Event-ID %s is refused', async (last) => {
    const id = await newRun();
    const answer = await house.stack.call('GET', `/v1/runs/${id}/events`, { headers: { 'last-event-id': last } });
    expect(said(answer)).toEqual([422, 'invalid-request', '#/header/Last-Event-ID']);
    expect(said(await house.stack.call('GET', `/v1/runs/${id}/events?after=${last}`))).toEqual([
      422,
      'invalid-request',
      '#/query/after',
    ]);
  });

  test('HEAD does not wait for the run', async () => {
    const id = await newRun();
    const answer = await house.stack.call('HEAD', `/v1/runs/${id}/events`, { timeoutMs: 3_000 });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});

test('a control plane that stops ends its streams, and does so within 5 s', async () => {
  const id = await newRun();
  const other = await house.stack.another();
  const watching = await Promise.all([1, 2, 3].map(() => watch(id, { url: other.url })));
  const before = performance.now();
  await other.stop();
  expect(performance.now() - before).toBeLessThan(5_000);
  await Promise.all(watching.map((seen) => seen.ended));
  expect(watching.map((seen) => seen.response.complete)).toEqual([true, true, true]);
});
