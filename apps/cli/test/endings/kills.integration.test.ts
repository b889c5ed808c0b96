import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { REASONS, Reason } from '@plumbline/model';
import { isAlive } from '@plumbline/process';
import { type RunDocument, until } from '@plumbline/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { descendants } from '../child.js';
import { Draws, seedOfRun } from '../seed.js';
import { KillableSite, PROBES } from './killable-site.js';
import { leftovers, listeners, strays } from './leftovers.js';

const VICTIMS = ['client', 'server', 'near probe', 'far probe', 'worker', 'nobody'] as const;
type Victim = (typeof VICTIMS)[number];
/** One of each in the gate, 200 in `npm run test:full`. PLUMBLINE_KILLS asks for another number. */
const RUNS = Number(process.env.PLUMBLINE_KILLS ?? (process.env.PLUMBLINE_FULL ? 200 : VICTIMS.length));
/** A run of one second takes two; the worker may be away for some seconds, and a leg without an owner is found after four more. */
const LONGEST_RUN_MS = 60_000;

vi.setConfig({ testTimeout: 60_000 + RUNS * 20_000 });

const seed = seedOfRun();
const draws = new Draws(seed);
let folder: string;
let temporary: string;
let site: KillableSite;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plumb-kills-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary, { mode: 0o1777 });
  site = await KillableSite.start(join(folder, 'd'), temporary);
}, 90_000);
afterAll(async () => {
  await site?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits a moment for a program to kill; when none comes (the test is over), nobody is killed. */
async function killTool(end: 'near' | 'far'): Promise<void> {
  const untilMs = performance.now() + 2_000;
  // Ends with a kill, or after two seconds.
  while (!site.killTool(end) && performance.now() < untilMs) await sleep(20);
}

async function kill(victim: Victim): Promise<void> {
  if (victim === 'client') await killTool('near');
  else if (victim === 'server') await killTool('far');
  else if (victim === 'near probe') await site.killProbe('near', draws.between(0, 1_500));
  else if (victim === 'far probe') await site.killProbe('far', draws.between(0, 1_500));
  else if (victim === 'worker') await site.killWorker(temporary);
}

async function runWith(victim: Victim): Promise<RunDocument> {
  const direction = draws.share() < 0.5 ? 'forward' : 'reverse';
  const tests = [{ kind: 'single-stream', durationS: 1, rateBps: 50_000_000, direction }];
  const answer = await site.product.must('POST', '/v1/runs', { plan: { tests }, paths: ['lo'] });
  const { id } = z.looseObject({ id: z.string() }).parse(answer);
  await sleep(draws.between(0, 2_000));
  await kill(victim);
  return site.ended(id, LONGEST_RUN_MS);
}

const Commands = z.array(z.looseObject({ end: z.string(), phase: z.string() }));

/** Every run ends with typed reasons, and no attempt is carried out twice. */
function expectAccountedFor(run: RunDocument): void {
  expect(run.state).toMatch(/^(succeeded|failed)$/);
  const attempts = run.legs[0]?.steps[0]?.attempts ?? [];
  expect(attempts.length).toBeGreaterThan(0);
  expect(attempts.map(({ n }) => n)).toEqual(attempts.map((_, i) => i));
  for (const [i, attempt] of attempts.entries()) {
    const last = i === attempts.length - 1;
    if (attempt.outcome !== 'completed') {
      const reason = Reason.parse(attempt.reason);
      expect(REASONS[reason].outcome).toBe(attempt.outcome);
      // Only what failed before any traffic is tried again.
      if (!last) expect(REASONS[reason].retry).toBe(true);
    } else expect(last).toBe(true);
    const commands = Commands.parse(attempt.commands);
    expect(commands.filter(({ end, phase }) => end === 'near' && phase === 'test').length).toBeLessThanOrEqual(1);
    expect(commands.filter(({ end }) => end === 'far').length).toBeLessThanOrEqual(1);
  }
  expect(run.state).toBe(attempts.at(-1)?.outcome === 'completed' ? 'succeeded' : 'failed');
}

test(`${RUNS} runs with random kills leave nothing behind (PLUMBLINE_SEED=${seed})`, { retry: 0 }, async () => {
  console.log(`PLUMBLINE_SEED=${seed}`);
  const victims = Array.from({ length: Math.ceil(RUNS / VICTIMS.length) }, () => draws.shuffled(VICTIMS)).flat();
  const tally = new Map<string, number>();
  for (const victim of victims.slice(0, RUNS)) {
    const run = await runWith(victim);
    const last = run.legs[0]?.steps[0]?.attempts.at(-1);
    const key = `${victim}: ${last?.outcome}${last?.reason ? ` ${last.reason}` : ''}`;
    tally.set(key, (tally.get(key) ?? 0) + 1);
    console.log(key);
    expectAccountedFor(run);
  }
  console.log(
    [...tally]
      .sort()
      .map(([key, count]) => `${String(count).padStart(4)} ${key}`)
      .join('\n'),
  );

  // An Acknowledge that was lost is made good by a sweep, every half minute.
  let left: string[] = [];
  await until(
    async () => {
      left = await leftovers(site, temporary);
      return left.length === 0;
    },
    60_000,
    () => left.join('\n'),
  );
  // The site still works: nothing that was killed holds a path, a port or a probe.
  expect((await runWith('nobody')).state).toBe('succeeded');

  const all = descendants(process.pid);
  await site.stop();
  await until(
    () => !all.some(isAlive),
    15_000,
    () => `${all.filter(isAlive).map(({ pid }) => pid)} live on`,
  );
  const addresses = PROBES.map((name) => site.addresses[name]);
  expect([...strays(addresses), ...(await listeners(addresses))]).toEqual([]);
});
