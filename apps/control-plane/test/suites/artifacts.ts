import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { said } from '../problems.js';
import { addPair, must, withDatabase } from '../resources.js';
import { callApi } from '../stack.js';
import { house } from './house.js';

describe('artifacts', () => {
  let attempt: string;
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const bytes = {
    'near-baseline-ping.stdout': Buffer.from('PING\n'),
    'near-test-iperf3.stdout': Buffer.from(`{"title": "\u00fc\u0000"}${'x'.repeat(700_000)}`),
    'near-test-iperf3.stderr': Buffer.alloc(0),
    'far-server-iperf3.stdout': randomBytes(100),
  } as const;

  beforeAll(async () => {
    const { path } = await addPair(house.stack, house.probes);
    const { id } = await must(house.stack, 'POST', '/v1/runs', {
      plan: { tests: [{ kind: 'rtt' }, { kind: 'single-stream' }] },
      paths: [path],
    });
    await withDatabase(house.stack.databaseUrl, async (db) => {
      const { rows } = await db.query(
        `INSERT INTO attempt (id, step_id, n, repeat, plan_index, measurement, tool, spec, fence, outcome, reason, commands, notes, ended_at)
       SELECT gen_random_uuid(), step.id, 0, 1, 0, 'throughput', 'iperf3', '{}', 1, 'timed-out', 'deadline-exceeded', '[]', '["odd"]', now()
       FROM step JOIN leg ON leg.id = leg_id WHERE run_id = $1 AND step.index = 1 RETURNING id`,
        [id],
      );
      for (const [name, content] of Object.entries(bytes)) {
        const [end, , tool, stream] = name.split(/[-.]/);
        await db.query("INSERT INTO blob (sha256, encoding, bytes, size_bytes) VALUES ($1, 'identity', $2, $3)", [
          sha256(content),
          content,
          content.length,
        ]);
        await db.query(
          `INSERT INTO artifact (attempt_id, name, "end", tool, stream, media_type, size_bytes, sha256) VALUES ($1, $2, $3, $4, $5, 'text/plain', $6, $7)`,
          [rows[0]?.id, name, end, tool, stream, content.length, sha256(content)],
        );
      }
    });
    attempt = `/v1/runs/${id}/legs/0/steps/1/attempts/0`;
  });

  function headersOf({ headers }: Response): Record<string, string> {
    const all: Record<string, string> = {};
    headers.forEach((value, name) => {
      all[name] = value;
    });
    return all;
  }

  test('are listed with end, tool, size and digest', async () => {
    const { items } = await must(house.stack, 'GET', `${attempt}/artifacts`);
    expect(items).toHaveLength(4);
    expect(items).toContainEqual({
      name: 'near-test-iperf3.stdout',
      end: 'near',
      tool: 'iperf3',
      stream: 'stdout',
      mediaType: 'text/plain',
      sizeBytes: bytes['near-test-iperf3.stdout'].length,
      sha256: sha256(bytes['near-test-iperf3.stdout']),
    });
  });

  test.each(Object.entries(bytes))('%s comes byte for byte', async (name, content) => {
    const response = await fetch(`${house.stack.url}${attempt}/artifacts/${name}`, {
      headers: { authorization: `Bearer ${house.stack.token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(headersOf(response)).toMatchObject({
      'content-length': String(content.length),
      'content-type': 'text/plain',
      etag: `"${sha256(content)}"`,
      'x-content-type-options': 'nosniff',
    });
  });

  test('raw is what the measuring client printed, not its baseline and not its server', async () => {
    const response = await fetch(`${house.stack.url}${attempt}/raw`, {
      headers: { authorization: `Bearer ${house.stack.token}` },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes['near-test-iperf3.stdout'])).toBe(true);
  });

  test('unchanged is 304 without bytes', async () => {
    const etag = `"${sha256(bytes['near-baseline-ping.stdout'])}"`;
    const ask = (value: string) =>
      callApi(house.stack.url, house.stack.token, 'GET', `${attempt}/artifacts/near-baseline-ping.stdout`, {
        headers: { 'if-none-match': value },
      });
    expect(await ask(etag)).toMatchObject({ status: 304, text: '' });
    expect(await ask(`"other", W/${etag}`)).toMatchObject({ status: 304 });
    expect(await ask('"other"')).toMatchObject({ status: 200, text: 'PING\n' });
  });

  test.each(['/artifacts/nope', '/artifacts/..%2F..%2Fx', '/artifacts/%00'])('%s is not there', async (rest) => {
    expect(said(await house.stack.call('GET', attempt + rest))).toEqual([404, 'not-found']);
  });

  test('an attempt, step, leg or run that is not there is 404', async () => {
    for (const [from, to] of [
      ['attempts/0', 'attempts/1'],
      ['steps/1', 'steps/0'],
      ['legs/0', 'legs/-1'],
      ['legs/0', 'legs/99999999999999'],
      ['/v1/runs/', '/v1/runs/0'],
    ] as const)
      for (const rest of ['/artifacts', '/raw', '/artifacts/near-baseline-ping.stdout'])
        expect(said(await house.stack.call('GET', attempt.replace(from, to) + rest))).toEqual([404, 'not-found']);
  });

  test('the attempt is in the run document', async () => {
    const [run = ''] = attempt.split('/legs');
    expect(await must(house.stack, 'GET', run)).toMatchObject({
      legs: [
        {
          steps: [
            { attempts: [] },
            { attempts: [{ n: 0, repeat: 1, outcome: 'timed-out', reason: 'deadline-exceeded', notes: ['odd'] }] },
          ],
        },
      ],
    });
  });
});
