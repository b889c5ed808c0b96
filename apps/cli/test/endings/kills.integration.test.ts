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
import { type Course, drawCourse, nameOf } from './courses.js';
import { KillableSite } from './killable-site.js';
import { leftovers, listeners, strays } from './leftovers.js';

const VICTIMS = ['client', 'server', 'near probe', 'far probe', 'worker'] as const;
type Victim = (typeof VICTIMS)[number];
/** One of each in the gate, 200 in `npm run test:full`. PLUMBLINE_KILLS asks for another number. */
const RUNS = Number(process.env.PLUMBLINE_KILLS ?? (process.env.PLUMBLINE_FULL ? 200 : VICTIMS.length));
/** A run of two seconds takes three; the worker may be away for some seconds, and a leg without an owner is found after four more. */
const LONGEST_RUN_MS = 60_000;
/** Of the kills at least so many come while the test's program runs: some end just before. */
const LEAST_HIT = 0.8;
/** Of a program's time: the rest is for the look that sees it. */
const LATEST_SHARE = 0.8;

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

async function begin({ test }: Course): Promise<string> {
  const answer = await site.product.must('POST', '/v1/runs', { plan: { tests: [test] }, paths: ['lo'] });
  return z.looseObject({ id: z.string() }).parse(answer).id;
}

/**
 * Waits until the course's program runs, then for a moment of its course that was drawn, and kills the victim if the program still
 * runs then; if it has ended, the next program of the run has its turn. Ends with a kill, or with the run.
 * @returns how long after the program was seen; undefined when no kill came while it ran
 */
async function killDuring(id: string, course: Course, victim: Victim): Promise<number | undefined> {
  const killedMs = performance.now() + LONGEST_RUN_MS;
  let askedMs = performance.now();
  // Ends with a kill, with the run, or after the longest time a run may take.
  for (let latestMs = LATEST_SHARE * course.runsMs; performance.now() < killedMs; await sleep(10)) {
    const client = site.programOf(course, 'client');
    if (!client) {
      // Asked seldom: while it is answered a program may have come and gone.
      if (performance.now() > askedMs + 500) {
        if (await site.hasEnded(id)) return undefined;
        askedMs = performance.now();
      }
      continue;
    }
    const afterMs = draws.between(0, latestMs);
    await sleep(afterMs);
    const target = victim === 'server' ? site.programOf(course, 'server') : client;
    if (target && isAlive(target) && isAlive(client)) {
      await kill(victim, target.pid);
      return afterMs;
    }
    latestMs /= 2;
  }
  return undefined;
}

async function kill(victim: Victim, pid: number): Promise<void> {
  if (victim === 'client' || victim === 'server') process.kill(pid, 'SIGKILL');
  else if (victim === 'worker') await site.killWorker(temporary);
  else await site.killProbe(victim === 'near probe' ? 'near' : 'far', draws.between(0, 1_500));
}

const Commands = z.array(z.looseObject({ end: z.string(), phase: z.string() }));
const Retry = z.looseObject({ retryOf: z.number().nullish() });

/** Every run ends with typed reasons, and no attempt is carried out twice. */
function expectAccountedFor(run: RunDocument): void {
  expect(run.state).toMatch(/^(succeeded|failed)$/);
  const attempts = run.legs[0]?.steps[0]?.attempts ?? [];
  expect(attempts.length).toBeGreaterThan(0);
  expect(attempts.map(({ n }) => n)).toEqual(attempts.map((_, i) => i));
  const triedAgain = attempts.flatMap((attempt) => Retry.parse(attempt).retryOf ?? []);
  for (const attempt of attempts) {
    if (attempt.outcome !== 'completed') {
      const reason = Reason.parse(attempt.reason);
      expect(REASONS[reason].outcome).toBe(attempt.outcome);
      // Only what failed before any traffic is tried again.
      if (triedAgain.includes(attempt.n)) expect(REASONS[reason].retry).toBe(true);
    } else expect(triedAgain).not.toContain(attempt.n);
    const started = Commands.parse(attempt.commands).map(({ end, phase }) => `${end} ${phase}`);
    expect(started).toEqual([...new Set(started)]);
  }
  const finals = attempts.filter(({ n }) => !triedAgain.includes(n)).map(({ outcome }) => outcome);
  if (finals.every((outcome) => outcome === 'completed')) expect(run.state).toBe('succeeded');
  if (finals.at(-1) !== 'completed') expect(run.state).toBe('failed');
}

/** How the attempt that was hit ended. */
function endingOf(run: RunDocument): string {
  const attempts = run.legs[0]?.steps[0]?.attempts ?? [];
  const hit = attempts.find(({ outcome }) => outcome !== 'completed') ?? attempts.at(-1);
  return `${hit?.outcome}${hit?.reason ? ` ${hit.reason}` : ''}`;
}

test(`${RUNS} runs with random kills leave nothing behind (PLUMBLINE_SEED=${seed})`, { retry: 0 }, async () => {
  console.log(`PLUMBLINE_SEED=${seed}`);
  const victims = Array.from({ length: Math.ceil(RUNS / VICTIMS.length) }, () => draws.shuffled(VICTIMS)).flat();
  const tally = new Map<string, number>();
  let hits = 0;
  for (const [i, victim] of victims.slice(0, RUNS).entries()) {
    const course = drawCourse(draws, { served: victim === 'server' });
    const id = await begin(course);
    const afterMs = await killDuring(id, course, victim);
    const run = await site.ended(id, LONGEST_RUN_MS);
    if (afterMs !== undefined) hits += 1;
    const key = `${victim}: ${afterMs === undefined ? `missed, ${endingOf(run)}` : endingOf(run)}`;
    tally.set(key, (tally.get(key) ?? 0) + 1);
    console.log(`${i + 1} ${nameOf(course)} after ${afterMs?.toFixed()} ms, ${key}`);
    expectAccountedFor(run);
  }
  const told = [...tally].sort().map(([key, count]) => `${String(count).padStart(4)} ${key}`);
  console.log([`${hits} of ${RUNS} kills hit`, ...told].join('\n'));

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
  const last = await begin(drawCourse(draws, { served: true }));
  expect((await site.ended(last, LONGEST_RUN_MS)).state).toBe('succeeded');

  const all = [...descendants(process.pid), ...site.seen.values()];
  await site.stop();
  await until(
    () => !all.some(isAlive),
    15_000,
    () => `${all.filter(isAlive).map(({ pid }) => pid)} live on`,
  );
  expect([...strays(Object.values(site.addresses)), ...(await listeners(site))]).toEqual([]);
  expect(hits).toBeGreaterThanOrEqual(Math.floor(LEAST_HIT * RUNS));
});
