import { join } from 'node:path';
import { type Product, RunDocument, startProbe, startProduct, until } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { KernelCounters } from './kernel-counters.js';
import { Partition } from './partition.js';

/** Loopback addresses of this process alone: whatever else runs here is not counted. */
const octet = 1 + (process.pid % 250);
const [NEAR, FAR] = [`127.77.${octet}.1`, `127.77.${octet}.2`];
/** From POST cancel to the last byte at either end. */
const STOPS_WITHIN_MS = 1_000;

let product: Product;
let cuts: Record<'near' | 'far', Partition>;

beforeAll(async () => {
  product = await startProduct();
  const before = async (name: string, address: string): Promise<Partition> => {
    const { socket } = await startProbe(product, { name, site: name, endpoints: [`lo=${address}`] });
    const partition = await Partition.before(socket, join(product.dataDir, 'probes', `${name}.cut`));
    await product.must('PATCH', `/v1/probes/${name}`, { address: `unix:${partition.path}` });
    return partition;
  };
  cuts = { near: await before('near', NEAR), far: await before('far', FAR) };
  await product.must('PUT', '/v1/paths/lo', {
    source: { probe: 'near', endpoint: 'lo' },
    destination: { probe: 'far', endpoint: 'lo' },
  });
});
afterAll(async () => {
  for (const cut of Object.values(cuts ?? {})) cut.heal();
  await product?.stop();
  for (const cut of Object.values(cuts ?? {})) await cut.close();
});

/** Begins a stream of a minute and waits until the kernel counts its data at both ends. */
async function flowing(direction: 'forward' | 'reverse'): Promise<{ id: string; counters: KernelCounters }> {
  const counters = new KernelCounters(NEAR, FAR, 60);
  const tests = [{ kind: 'single-stream', durationS: 60, rateBps: 100_000_000, direction }];
  const answer = await product.must('POST', '/v1/runs', { plan: { tests }, paths: ['lo'] });
  const { id } = z.looseObject({ id: z.string() }).parse(answer);
  await until(
    () => counters.quietSince() !== undefined,
    30_000,
    () => `no data after ${counters.looks} looks`,
  );
  return { id, counters };
}

async function cancel(id: string): Promise<number> {
  const cancelledMs = Date.now();
  await product.must('POST', `/v1/runs/${id}/cancel`);
  return cancelledMs;
}

/** How long after a moment the last byte moved at each end: looked at until it is certain that no more moves. */
async function lastBytesAfter(
  counters: KernelCounters,
  sinceMs: number,
): Promise<Record<'sender' | 'receiver', number>> {
  await until(
    () => counters.lastLookMs > sinceMs + 2 * STOPS_WITHIN_MS,
    20_000,
    () => 'ss was not asked',
  );
  const quiet = counters.quietSince();
  await counters.stop();
  if (!quiet) throw new Error('no data were seen');
  const last = { sender: quiet.sender - sinceMs, receiver: quiet.receiver - sinceMs };
  console.log(
    `last byte after: ${Math.round(last.sender)} ms at the sender, ${Math.round(last.receiver)} ms at the receiver`,
  );
  return last;
}

async function expectCancelled(id: string): Promise<void> {
  let run: RunDocument | undefined;
  await until(
    async () => {
      run = RunDocument.parse(await product.must('GET', `/v1/runs/${id}`));
      return !['queued', 'running'].includes(run.state);
    },
    30_000,
    () => `it has not ended: ${JSON.stringify(run)}`,
  );
  expect(run?.state).toBe('cancelled');
  expect(run?.legs[0]?.steps[0]?.attempts).toMatchObject([{ outcome: 'cancelled', reason: 'cancelled-by-user' }]);
}

describe('a cancelled run stops at both ends within a second', () => {
  test.each(['forward', 'reverse'] as const)('%s', async (direction) => {
    const { id, counters } = await flowing(direction);
    const { sender, receiver } = await lastBytesAfter(counters, await cancel(id));
    expect(sender).toBeLessThan(STOPS_WITHIN_MS);
    expect(receiver).toBeLessThan(STOPS_WITHIN_MS);
    await expectCancelled(id);
  });

  // In the gate those where the sender's own probe is away; the others stop no later.
  const senderAway = [
    ['near', 'forward'],
    ['far', 'reverse'],
  ] as const;
  const receiverAway = [
    ['near', 'reverse'],
    ['far', 'forward'],
  ] as const;
  test.each([...senderAway, ...(process.env.PLUMBLINE_FULL ? receiverAway : [])])(
    'while the %s probe cannot be reached, %s: the other end takes it along',
    async (end, direction) => {
      const { id, counters } = await flowing(direction);
      cuts[end].cut();
      try {
        const { sender, receiver } = await lastBytesAfter(counters, await cancel(id));
        expect(sender).toBeLessThan(STOPS_WITHIN_MS);
        expect(receiver).toBeLessThan(STOPS_WITHIN_MS);
      } finally {
        cuts[end].heal();
      }
      await expectCancelled(id);
    },
  );
});

test('while neither probe can be reached it goes on, and stops within two seconds of one coming back', async () => {
  const { id, counters } = await flowing('forward');
  for (const cut of Object.values(cuts)) cut.cut();
  const cancelledMs = await cancel(id);
  await expectCancelled(id);
  await counters.nextLook();
  // Nobody can have stopped it: what ends it alone is the attempt's longest duration, at the probes.
  expect(counters.quietSince()?.sender).toBeGreaterThan(cancelledMs + 2 * STOPS_WITHIN_MS);
  const healedMs = Date.now();
  for (const cut of Object.values(cuts)) cut.heal();
  const { sender, receiver } = await lastBytesAfter(counters, healedMs);
  expect(sender).toBeLessThan(2 * STOPS_WITHIN_MS);
  expect(receiver).toBeLessThan(2 * STOPS_WITHIN_MS);
  // And the path is free again at once, not only when the claims run out.
  const next = await product.run(
    { plan: { tests: [{ kind: 'rtt', count: 2, intervalS: 0.2 }] }, paths: ['lo'] },
    15_000,
  );
  expect(next.state).toBe('succeeded');
}, 120_000);
