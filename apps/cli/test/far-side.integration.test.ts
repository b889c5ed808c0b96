import { readdirSync, readFileSync } from 'node:fs';
import { type LocalProbe, type Product, RunDocument, startProbe, startProduct, until } from '@plumbline/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

/** Real probes and the real iperf3: what it says when its peer goes away is not what happened. */
let product: Product;
let far: LocalProbe;
beforeAll(async () => {
  product = await startProduct();
  await startProbe(product, { name: 'near', site: 'a', endpoints: ['lo=127.0.0.1'] });
  far = await startProbe(product, { name: 'far', site: 'b', endpoints: ['lo=127.0.0.2'] });
  await product.must('PUT', '/v1/paths/ab', {
    source: { probe: 'near', endpoint: 'lo' },
    destination: { probe: 'far', endpoint: 'lo' },
  });
});
afterAll(() => product?.stop());

const Commands = z.array(z.looseObject({ phase: z.string(), end: z.string() }));

const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1] === String(parent);
      } catch {
        return false;
      }
    });
const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/** A run of 5 s, up to the moment when its data flows. */
async function flowing(): Promise<string> {
  const { id } = z.looseObject({ id: z.string() }).parse(
    await product.must('POST', '/v1/runs', {
      plan: { tests: [{ kind: 'single-stream', durationS: 5, congestionControl: 'cubic', rateBps: 20e6 }] },
      paths: ['ab'],
    }),
  );
  const attempt = async () =>
    RunDocument.parse(await product.must('GET', `/v1/runs/${id}`)).legs[0]?.steps[0]?.attempts[0];
  await until(
    async () =>
      Commands.parse((await attempt())?.commands ?? []).some(({ phase, end }) => phase === 'test' && end === 'near'),
    20_000,
    () => 'the test to run',
  );
  await new Promise((resolve) => setTimeout(resolve, 800));
  return id;
}
async function ended(id: string) {
  let run = RunDocument.parse(await product.must('GET', `/v1/runs/${id}`));
  await until(
    async () => {
      run = RunDocument.parse(await product.must('GET', `/v1/runs/${id}`));
      return run.state !== 'running' && run.state !== 'queued';
    },
    60_000,
    () => `the run to end: it is ${run.state}`,
  );
  return run.legs[0]?.steps[0]?.attempts.at(-1);
}

test('a server that was killed is what ended the test, not a middlebox', async () => {
  const id = await flowing();
  const server = childrenOf(far.process.pid ?? 0).find((pid) => nameOf(pid) === 'iperf3');
  expect(server).toBeDefined();
  process.kill(server ?? 0, 'SIGKILL');
  expect(await ended(id)).toMatchObject({ reason: 'tool-killed', detail: expect.stringContaining('far side') });
});

test('a far probe that died is what ended the test', async () => {
  const id = await flowing();
  process.kill(far.process.pid ?? 0, 'SIGKILL');
  expect(await ended(id)).toMatchObject({ outcome: 'lost', reason: 'far-probe-lost' });
  expect(childrenOf(1).filter((pid) => nameOf(pid) === 'iperf3')).toEqual([]);
});
