import { join } from 'node:path';
import {
  ApiProblem,
  allItems,
  answerOf,
  createPlumblineClient,
  type PlumblineClient,
  type RunEventMessage,
  runEvents,
} from '@plumbline/api-client';
import { makeCsr, makeKey } from '@plumbline/probe-rpc';
import { type FakeProbe, freePort, startFakeProbe } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from './stack.js';
import { diagnosisRoute } from './suites/diagnosis.js';
import { reparseRoute } from './suites/reparse.js';

/** The API with everything real behind it but the programs: probes that keep the probe's contract and run none. */
let stack: Stack;
let client: PlumblineClient;
const probes: FakeProbe[] = [];
let testMs = 50;

const ok = <T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> => answerOf(call);
const script = () => ({ phases: { test: { durationMs: testMs }, ping: { durationMs: testMs } } });

beforeAll(async () => {
  stack = await startStack();
  client = createPlumblineClient({ baseUrl: stack.url, token: stack.token });
  await ok(client.PUT('/v1/sites/{name}', { params: { path: { name: 'ber' } }, body: { timeZone: 'Europe/Berlin' } }));
  for (const [i, name] of ['near', 'far'].entries()) {
    const address = `unix:${join(stack.dataDir, 'probes', `${name}.sock`)}`;
    const endpoints = [{ name: 'test', address: `127.0.0.${i + 1}` }];
    probes.push(await startFakeProbe({ name, site: 'ber', address, endpoints, script }));
    await ok(client.POST('/v1/probes', { body: { name, site: 'ber', address, endpoints } }));
  }
  await path('one', 'near', 'far');
});
afterAll(async () => {
  await stack?.stop();
  await Promise.all(probes.map((probe) => probe.close()));
});

const path = (name: string, from: string, to: string) =>
  ok(
    client.PUT('/v1/paths/{name}', {
      params: { path: { name } },
      body: {
        source: { probe: from, endpoint: 'test' },
        destination: { probe: to, endpoint: 'test' },
        committedRateBps: 1e8,
      },
    }),
  );
const getRun = (id: string) => ok(client.GET('/v1/runs/{id}', { params: { path: { id } } }));

async function watch(id: string, onEvent?: (event: RunEventMessage) => Promise<void>): Promise<RunEventMessage[]> {
  const events: RunEventMessage[] = [];
  for await (const event of runEvents(stack.url, stack.token, id, { signal: AbortSignal.timeout(40_000) })) {
    events.push(event);
    await onEvent?.(event);
  }
  return events;
}

describe('a run through the typed client', () => {
  test('is asked for, watched to its end, and read with all that it left', async () => {
    testMs = 50;
    const { id, state } = await ok(
      client.POST('/v1/runs', {
        body: {
          plan: { tests: [{ kind: 'rtt', count: 3 }], criteria: [{ metric: 'loss', op: '<=', value: 0.5 }] },
          paths: ['one'],
        },
      }),
    );
    expect(state).toBe('queued');
    const events = await watch(id);
    expect(events.map((e) => e.id)).toEqual(events.map((_, i) => events[0]!.id + i));
    expect(events[0]).toMatchObject({ event: 'run', data: { state: 'queued' } });
    const run = await getRun(id);
    expect(events.at(-1)).toMatchObject({ event: 'run', data: { state: run.state, verdict: run.verdict } });
    expect(run).toMatchObject({
      state: 'succeeded',
      verdict: 'pass',
      legs: [{ path: 'one', state: 'succeeded', criteria: [{ verdict: 'pass' }] }],
    });
    const [attempt] = run.legs[0]?.steps[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ n: 0, repeat: 1, outcome: 'completed' });
    expect(attempt?.commands.length).toBeGreaterThan(0);
    const where = { id, leg: 0, step: 0, attempt: 0 };
    const at = { params: { path: where } };
    const { items } = await ok(client.GET('/v1/runs/{id}/legs/{leg}/steps/{step}/attempts/{attempt}/artifacts', at));
    const raw = await stack.call('GET', `/v1/runs/${id}/legs/0/steps/0/attempts/0/raw`);
    expect(items.find((item) => item.end === 'near' && item.stream === 'stdout')?.sizeBytes).toBe(
      Buffer.byteLength(raw.text),
    );
    expect(raw.text).toContain('rtt min/avg/max');
    const metrics = await stack.call('GET', '/metrics');
    expect(metrics.text).toMatch(/^plumbline_runs\{state="succeeded"\} [1-9]/m);
    expect(metrics.text).toMatch(/^plumbline_legs_ended_total\{state="succeeded"\} [1-9]/m);
  });

  test('joins sender and receiver where data moved between them', async () => {
    const { id } = await ok(
      client.POST('/v1/runs', {
        body: {
          plan: {
            tests: [
              { kind: 'parallel', streams: 1, durationS: 1 },
              { kind: 'rtt', count: 3 },
            ],
          },
          paths: ['one'],
        },
      }),
    );
    await watch(id);
    const [parallel, rtt] = (await getRun(id)).legs[0]?.steps ?? [];
    const [attempt] = parallel?.attempts ?? [];
    expect(attempt).toMatchObject({ outcome: 'completed', cell: { streams: '1' } });
    expect(attempt?.ends).toMatchObject([
      { end: 'near', role: 'sender', congestionControl: expect.any(String) },
      { end: 'far', role: 'receiver', measured: expect.arrayContaining(['throughput']) },
    ]);
    expect(rtt?.attempts[0]).not.toHaveProperty('ends');
  });

  test('is cancelled while it runs', async () => {
    testMs = 30_000;
    const { id } = await ok(client.POST('/v1/runs', { body: { plan: { tests: [{ kind: 'rtt' }] }, paths: ['one'] } }));
    let asked = false;
    const events = await watch(id, async ({ event, data }) => {
      if (asked || event !== 'attempt' || data.outcome) return;
      asked = true;
      await ok(client.POST('/v1/runs/{id}/cancel', { params: { path: { id } } }));
    });
    expect(asked).toBe(true);
    expect(events.at(-1)?.data.state).toBe('cancelled');
    const run = await getRun(id);
    expect(run.legs[0]?.steps[0]?.attempts[0]).toMatchObject({ outcome: 'cancelled', reason: 'cancelled-by-user' });
    testMs = 50;
  });

  test('of a path whose probe died has a reason', async () => {
    await path('dead', 'far', 'near');
    await probes[1]?.die();
    const { id } = await ok(client.POST('/v1/runs', { body: { plan: { tests: [{ kind: 'rtt' }] }, paths: ['dead'] } }));
    await watch(id);
    await probes[1]?.revive();
    expect((await getRun(id)).legs[0]?.steps[0]?.attempts.at(-1)).toMatchObject({
      outcome: 'failed',
      reason: 'probe-unreachable',
    });
  });
});

test('transactions between probes that have only iperf3 are refused, with the package to install', async () => {
  const { id } = await ok(
    client.POST('/v1/runs', { body: { plan: { tests: [{ kind: 'bounceback' }] }, paths: ['one'] } }),
  );
  await watch(id);
  const run = await getRun(id);
  expect(run.state).toBe('failed');
  expect(run.legs[0]?.steps[0]?.attempts).toMatchObject([
    {
      outcome: 'refused',
      reason: 'tool-missing',
      detail: expect.stringMatching(/iperf3 cannot .* the package iperf\./),
    },
  ]);
  const tps = run.legs[0]?.steps[0]?.metrics.find(({ name }) => name === 'transactions-per-second');
  expect(tps).toMatchObject({ value: null, reason: 'attempt-failed' });
});

diagnosisRoute(() => stack);
reparseRoute(() => stack);

describe('a refusal', () => {
  test('is typed, or thrown as what it is', async () => {
    const { data, error } = await client.GET('/v1/sites/{name}', { params: { path: { name: 'nowhere' } } });
    expect([data, error?.status]).toEqual([undefined, 404]);
    const thrown = await ok(client.DELETE('/v1/sites/{name}', { params: { path: { name: 'ber' } } })).catch(
      (e: unknown) => e,
    );
    expect(thrown).toBeInstanceOf(ApiProblem);
    expect(thrown).toMatchObject({ code: 'in-use', status: 409 });
    const noRun = watch('0190a0a0-0000-7000-8000-000000000000');
    await expect(noRun).rejects.toMatchObject({ code: 'not-found' });
  });
});

test('all items of a list come one by one', async () => {
  for (const name of ['a', 'b', 'c'])
    await ok(client.PUT('/v1/plans/{name}', { params: { path: { name } }, body: { tests: [{ kind: 'rtt' }] } }));
  const names: string[] = [];
  for await (const plan of allItems((pageToken) =>
    ok(client.GET('/v1/plans', { params: { query: { pageSize: 2, pageToken } } })),
  ))
    names.push(plan.name);
  expect(names).toEqual(['a', 'b', 'c']);
});

describe('a probe over TCP', () => {
  test('is enrolled, started, registered, and then asked with mutual TLS', async () => {
    const key = makeKey();
    const { token } = await ok(client.POST('/v1/probes/{name}/enrolment', { params: { path: { name: 'tcp' } } }));
    const enrolling = createPlumblineClient({ baseUrl: stack.url, token });
    const { certificate, ca, notAfter } = await ok(
      enrolling.POST('/v1/enrolments', { body: { csr: await makeCsr('tcp', key) } }),
    );
    const address = `127.0.0.1:${await freePort()}`;
    const endpoints = [{ name: 'test', address: '127.0.0.3' }];
    probes.push(
      await startFakeProbe({
        name: 'tcp',
        site: 'ber',
        address,
        endpoints,
        identity: { ca, certificate, key },
        script,
      }),
    );
    const probe = await ok(client.POST('/v1/probes', { body: { name: 'tcp', site: 'ber', address, endpoints } }));
    expect(probe).toMatchObject({ state: 'up', enrolled: true, certificateNotAfter: notAfter });
    const other = await client.POST('/v1/probes', { body: { name: 'impostor', site: 'ber', address, endpoints } });
    expect(other.response.status).toBe(422);
    expect(other.error?.type).toMatch(/probe-(identity-mismatch|unreachable)$/);
  });

  test('without a certificate of ours is none', async () => {
    const address = `127.0.0.1:${new URL(stack.url).port}`;
    const { error } = await client.POST('/v1/probes', {
      body: { name: 'http', site: 'ber', address, endpoints: [{ name: 'test', address: '127.0.0.9' }] },
    });
    expect(error?.type).toMatch(/probe-unreachable$/);
  });
});

test("a probe's facts are asked for now", async () => {
  const snapshot = await ok(
    client.GET('/v1/probes/{name}/snapshot', { params: { path: { name: 'near' }, query: { endpoint: 'test' } } }),
  );
  expect(Math.abs(Date.parse(snapshot.takenAt) - Date.now())).toBeLessThan(60_000);
});

test('a control plane in the middle of a test stops within 5 s', async () => {
  const other = await stack.another();
  testMs = 8_000;
  const { id } = await ok(client.POST('/v1/runs', { body: { plan: { tests: [{ kind: 'rtt' }] }, paths: ['one'] } }));
  const watching = runEvents(other.url, stack.token, id, { retryMs: 5, giveUpMs: 1 });
  for await (const { event } of watching) if (event === 'attempt') break;
  const before = performance.now();
  await other.stop();
  expect(performance.now() - before).toBeLessThan(5_000);
  await ok(client.POST('/v1/runs/{id}/cancel', { params: { path: { id } } }));
});
