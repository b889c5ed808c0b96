import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecuteResponse } from '@plumbline/probe-rpc';
import { afterAll, expect, test } from 'vitest';
import { finishedEvent } from '../execution/attempt.js';
import { AttemptLog } from './attempt-log.js';
import { type AttemptFacts, AttemptId, Spool } from './spool.js';

const root = mkdtempSync(join(tmpdir(), 'plumb-spool-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let n = 0;
function emptyFolder(): string {
  n += 1;
  const folder = join(root, `${n}`);
  mkdirSync(folder);
  return folder;
}
const facts = (id: string, startedAt = new Date()): AttemptFacts => ({
  id,
  side: 'near',
  legId: 'leg',
  fence: 2n ** 60n,
  shared: false,
  endpoint: 'wan',
  resource: 'eth0',
  kind: 'rtt/ping',
  startedAt,
});
const sample = (text: string) => ({ $case: 'sample' as const, value: { tool: 'ss', text, elapsedMs: 1 } });
const finished = finishedEvent({ outcome: 'completed' }, new Date(0));

async function read(log: AttemptLog, after = 0n): Promise<ExecuteResponse[]> {
  const events: ExecuteResponse[] = [];
  for await (const event of log.follow(after, AbortSignal.timeout(5000))) events.push(event);
  return events;
}

test('a reader that came first sees everything as it is appended', async () => {
  const log = AttemptLog.create(emptyFolder());
  const reading = read(log);
  for (let i = 0; i < 300; i += 1) {
    log.append(sample('x'.repeat(i * 10)));
    if (i % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  log.finish(finished);
  expect((await reading).map((e) => e.sequence)).toEqual(Array.from({ length: 301 }, (_, i) => BigInt(i + 1)));
});

test('what a crash cut is dropped, what is whole stays, and it can be appended to', async () => {
  const folder = emptyFolder();
  const log = AttemptLog.create(folder);
  log.append(sample('one'));
  log.append(sample('two'));
  const file = join(folder, 'events');
  truncateSync(file, readFileSync(file).length - 3);
  const again = AttemptLog.reopen(folder);
  again.append(sample('three'));
  again.finish(finished);
  const texts = (await read(again)).map((e) => (e.event?.$case === 'sample' ? e.event.value.text : e.event?.$case));
  expect(texts).toEqual(['one', 'three', 'finished']);
});

test('rubbish at the end of the file is no event', async () => {
  const folder = emptyFolder();
  const log = AttemptLog.create(folder);
  log.append(sample('one'));
  appendFileSync(join(folder, 'events'), Buffer.alloc(100, 0xff));
  const again = AttemptLog.reopen(folder);
  again.finish(finished);
  expect(await read(again)).toHaveLength(2);
});

test('an artifact of any size comes back to the byte, from any sequence', async () => {
  for (const size of [0, 1, 262_144, 262_145, 700_000]) {
    const log = AttemptLog.create(emptyFolder());
    const bytes = Buffer.alloc(size, 'plumb');
    writeFileSync(log.artifactFile('main.stdout'), bytes);
    await log.addArtifact({ name: 'main.stdout', phase: 'main', tool: 'sh', stream: 'stdout' });
    log.finish(finished);
    const events = await read(log);
    const data = events.map((e) =>
      e.event?.$case === 'artifactChunk' ? Buffer.from(e.event.value.data) : Buffer.alloc(0),
    );
    expect(Buffer.concat(data).equals(bytes)).toBe(true);
    for (const { sequence } of events)
      expect((await read(log, sequence)).map((e) => e.sequence)).toEqual(
        events.map((e) => e.sequence).filter((s) => s > sequence),
      );
  }
});

test('attempts of an earlier life come back, half-made and half-removed ones do not', () => {
  const folder = emptyFolder();
  const spool = new Spool(folder);
  spool.create(facts('b', new Date(2000))).finish(finished);
  spool.create(facts('a', new Date(1000)));
  mkdirSync(join(folder, 'c.near'));
  mkdirSync(join(folder, 'd.near.gone'));
  const back = spool.reopen();
  expect(back.map((s) => [s.facts.id, s.log.finished])).toEqual([
    ['a', false],
    ['b', true],
  ]);
  expect(back[0]?.facts).toEqual(facts('a', new Date(1000)));
  expect(readdirSync(folder).sort()).toEqual(['a.near', 'b.near']);
  spool.remove(facts('a'));
  expect(spool.reopen().map((s) => s.facts.id)).toEqual(['b']);
});

test('finished ones go after a week, and the oldest when they take more than a GiB; running ones never', () => {
  const day = 86_400_000;
  const spool = new Spool(emptyFolder(), () => 10 * day);
  const waiting = (id: string, atDay: number, sizeBytes: number, isFinished = true) => {
    const log = spool.create(facts(id, new Date(atDay * day)));
    if (isFinished) log.finish(finished);
    Object.defineProperty(log, 'sizeBytes', { value: sizeBytes });
    return { facts: facts(id, new Date(atDay * day)), log };
  };
  const all = [waiting('old', 2, 10), waiting('runs', 2, 10, false), waiting('big', 8, 8e8), waiting('new', 9, 6e8)];
  expect(spool.outdated(all).map((s) => s.facts.id)).toEqual(['old', 'big']);
});

test('ids that could leave the folder are no ids', () => {
  for (const id of ['', '.', '..', 'a/b', 'a.b', '-a', 'a'.repeat(101)])
    expect(AttemptId.safeParse(id).success).toBe(false);
  expect(AttemptId.safeParse('0195f2c4-7c1e-7d7e-b6a3-0d6a6b0c1d2e').success).toBe(true);
});
