import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProbe, type RunningProbe } from '@plumbline/probe';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from '../stack.js';

let stack: Stack;
const probes: RunningProbe[] = [];
beforeAll(async () => {
  stack = await startStack();
  mkdirSync(join(stack.dataDir, 'probes'), { recursive: true });
  await stack.call('PUT', '/v1/sites/here', { body: { timeZone: 'UTC' } });
  for (const [i, name] of ['a', 'b'].entries()) {
    const address = `unix:${join(stack.dataDir, 'probes', `${name}.sock`)}`;
    const ip = `127.0.0.${i + 1}`;
    probes.push(await startProbe({ name, site: 'here', listen: address, endpoints: [`e=${ip}`], dataDir: join(stack.dataDir, `probe-${name}`), logLevel: 'warn', portRange: i ? '6300-6399' : '6400-6499' }));
    const answer = await stack.call('POST', '/v1/probes', { body: { name, site: 'here', address, endpoints: [{ name: 'e', address: ip }] } });
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  }
  const ref = (probe: string) => ({ probe, endpoint: 'e' });
  const put = await stack.call('PUT', '/v1/paths/a-b', { body: { source: ref('a'), destination: ref('b') } });
  console.log(put.status, put.text);
});
afterAll(async () => {
  await Promise.all(probes.map((probe) => probe.stop()));
  await stack.stop();
});

it('figures', async () => {
  const { PrismaClient } = await import('../../src/persistence/generated/client.js');
  const { PrismaPg } = await import('@prisma/adapter-pg');
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: stack.databaseUrl }) });
  const sums: Record<string, number[]> = {};
  for (let i = 0; i < 12; i++) {
    const t0 = Date.now();
    const answer = await stack.call('POST', '/v1/runs', { body: { plan: { tests: [{ kind: 'single-stream', durationS: 1, rateBps: 50e6 }] }, paths: ['a-b'] } });
    const t1 = Date.now();
    const { id } = answer.body as { id: string };
    let readableAt = 0;
    for (;;) {
      const run: any = (await stack.call('GET', `/v1/runs/${id}`)).body;
      if (!readableAt && run.legs[0].steps[0].attempts.at(-1)?.outcome) readableAt = Date.now();
      if (!['queued', 'running'].includes(run.state)) break;
      await sleep(5);
    }
    const endAt = Date.now();
    const leg = await db.leg.findFirstOrThrow({ where: { runId: id }, include: { steps: { include: { attempts: { include: { snapshots: true } } } } } });
    const a = leg.steps[0]!.attempts.at(-1)!;
    const commands = a.commands as any[];
    const ms = (x: any) => new Date(x).getTime() - t0;
    const near = commands.filter((c) => c.end === 'near');
    const row = {
      posted: t1 - t0, claimed: ms(leg.claimedAt), attempt: ms(a.startedAt),
      server: ms(commands.find((c) => c.end === 'far').startedAt),
      snapNear: ms(a.snapshots.find((s) => s.end === 'near' && s.moment === 'before')?.takenAt),
      baseline: ms(near[0].startedAt), test: ms(near.at(-1).startedAt), exit: ms(near.at(-1).endedAt), readable: readableAt - t0, end: endAt - t0,
      exitToReadable: readableAt - t0 - ms(near.at(-1).endedAt), readableToEnd: endAt - readableAt,
    };
    for (const [k, v] of Object.entries(row)) (sums[k] ??= []).push(v);
    await sleep(200);
  }
  for (const [k, v] of Object.entries(sums)) console.log(k, v.sort((x, y) => x - y)[6], v.join(' '));
  await db.$disconnect();
}, 110_000);
