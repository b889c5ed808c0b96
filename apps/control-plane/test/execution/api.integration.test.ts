import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeProbe, startFakeProbe } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Stack, startStack } from '../stack.js';

const Run = z.looseObject({
  id: z.string(),
  state: z.string(),
  legs: z.array(
    z.looseObject({
      steps: z.array(
        z.looseObject({
          attempts: z.array(
            z.looseObject({
              outcome: z.string().nullable(),
              reason: z.string().optional(),
              metrics: z.array(z.looseObject({ name: z.string() })),
            }),
          ),
        }),
      ),
    }),
  ),
});

let stack: Stack;
const probes: FakeProbe[] = [];
/** When the near probe was asked to start, by this process's clock. */
let executedAtMs = 0;
let finishedAtMs = 0;
const TEST_MS = 300;

beforeAll(async () => {
  stack = await startStack();
  mkdirSync(join(stack.dataDir, 'probes'), { recursive: true });
  await stack.call('PUT', '/v1/sites/here', { body: { timeZone: 'UTC' } });
  for (const [i, name] of ['a', 'b'].entries()) {
    const address = `unix:${join(stack.dataDir, 'probes', `${name}.sock`)}`;
    const endpoints = [{ name: 'e', address: `127.0.0.${i + 1}` }];
    probes.push(
      await startFakeProbe({
        name,
        site: 'here',
        address,
        endpoints,
        script: (attempt) => {
          if (attempt.end === 'far') return {};
          executedAtMs = performance.now();
          finishedAtMs = executedAtMs + TEST_MS;
          return { phases: { test: { durationMs: TEST_MS }, ping: { durationMs: TEST_MS } } };
        },
      }),
    );
    const answer = await stack.call('POST', '/v1/probes', { body: { name, site: 'here', address, endpoints } });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  }
  const ref = (probe: string) => ({ probe, endpoint: 'e' });
  await stack.call('PUT', '/v1/paths/a-b', { body: { source: ref('a'), destination: ref('b') } });
});
afterAll(async () => {
  await Promise.all(probes.map((probe) => probe.close()));
  await stack.stop();
});

async function readable(id: string): Promise<{ run: z.output<typeof Run>; atMs: number }> {
  const end = performance.now() + 30_000;
  // Ends: when the first attempt has an outcome, or after 30 s.
  for (;;) {
    const run = Run.parse((await stack.call('GET', `/v1/runs/${id}`)).body);
    if (run.legs[0]?.steps[0]?.attempts.at(-1)?.outcome) return { run, atMs: performance.now() };
    if (performance.now() > end) throw new Error(`no outcome: ${JSON.stringify(run)}`);
    await sleep(5);
  }
}

const middle = (values: number[]) => values.sort((x, y) => x - y)[Math.floor(values.length / 2)] ?? Number.NaN;

describe('a run through the API', () => {
  it('reaches the probes soon, and its result is readable soon after the tool ended', async () => {
    const starts: number[] = [];
    const results: number[] = [];
    // Ends: ten runs.
    for (let i = 0; i < 10; i++) {
      const began = performance.now();
      const answer = await stack.call('POST', '/v1/runs', {
        body: { plan: { tests: [{ kind: 'rtt', count: 3 }] }, paths: ['a-b'] },
      });
      expect(answer.status).toBe(202);
      const { id } = z.looseObject({ id: z.string() }).parse(answer.body);
      const { run, atMs } = await readable(id);
      expect(run.legs[0]?.steps[0]?.attempts.map((a) => a.reason ?? a.outcome)).toEqual(['completed']);
      starts.push(executedAtMs - began);
      results.push(atMs - finishedAtMs);
      await sleep(150);
    }
    console.log(
      `POST to Execute: median ${middle(starts).toFixed(0)} ms; exit to readable: median ${middle(results).toFixed(0)} ms`,
    );
    expect(middle(starts)).toBeLessThan(1_500);
    expect(middle(results)).toBeLessThan(1_000);
  });
});
