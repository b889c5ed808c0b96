import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RULE_SET } from '@plumbline/analysis';
import { ended, type Reason, VERSION } from '@plumbline/model';
import type { FakeScript } from '@plumbline/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LegEvidences } from '../../src/execution/diagnosis/leg-evidences.js';
import { LegWalker } from '../../src/execution/leg/leg-walker.js';
import { ArtifactStore } from '../../src/persistence/seams.js';
import { Lab, scripted, until } from './lab.js';

let lab: Lab;
/** What the fake probes do in the next attempts, one after another; then all goes well again. */
let scripts: FakeScript[] = [];
const script = () => scripts.shift() ?? {};

/** How often probe b was asked for its facts; its counters move by one each time. */
let asked = 0;
const countingFacts = () => {
  asked += 1;
  const texts = {
    'probe.interface': 'eth0',
    'file./proc/net/dev': `eth0: 1 1 ${asked} 0 0 0 0 0 1 1 0 0 0 0 0 0`,
    'file./proc/net/snmp': `Tcp: RetransSegs OutSegs\nTcp: ${asked} 7\n`,
  };
  return Object.entries(texts).map(([key, text]) => ({ key, source: 'test', text, error: '' }));
};

beforeAll(async () => {
  lab = await Lab.open();
  await lab.probe('a', { script: (attempt) => (attempt.end === 'near' ? script() : {}) });
  await lab.probe('b', { facts: countingFacts });
  await lab.replica();
});
afterEach(() => {
  scripts = [];
});
afterAll(() => lab.close());

const refuses = (reason: Reason): FakeScript => ({ refuses: ended(reason) });
const outcomes = (run: Awaited<ReturnType<Lab['ended']>>) =>
  run.legs[0]?.steps.map((step) => step.attempts.map((attempt) => attempt.reason ?? attempt.outcome));

describe('a leg', () => {
  it('runs end to end and leaves its whole record', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(100, { measurement: 'scripted-served' })] });
    const run = await lab.ended(id);
    expect(run).toMatchObject({ state: 'succeeded', verdict: 'none' });
    const [attempt] = run.legs[0]?.steps[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ outcome: 'completed', reason: null, n: 0, repeat: 1, fence: run.legs[0]?.fence });
    expect(attempt?.metrics).toMatchObject([{ name: 'shouts', value: 5, unit: 'count' }]);
    expect(attempt?.commands).toMatchObject([
      { end: 'near', phase: 'test', tool: 'sh', exitCode: 0 },
      { end: 'far', phase: 'server', tool: 'node' },
    ]);
    expect(attempt?.artifacts.map((artifact) => artifact.name)).toEqual(
      expect.arrayContaining([
        'near-test-sh.stdout',
        'near-test-sh.stderr',
        'far-server-node.stdout',
        'near-before-snapshot.facts',
      ]),
    );
    expect(attempt?.clockOffsets).toMatchObject({ near: { errorMs: expect.any(Number) }, far: {} });
    expect(attempt?.snapshots.map((s) => `${s.end} ${s.moment}`).sort()).toEqual([
      'far after',
      'far before',
      'near after',
      'near before',
    ]);
    // Asked for files, for what needs a program, and after the test: from the first to the last they moved by two.
    expect(attempt?.counters).toMatchObject({
      near: { tcp: {}, udp: { 'Udp.RcvbufErrors': 0 } },
      far: {
        interfaceName: 'eth0',
        interface: { rx_errors: 2, rx_packets: 0 },
        tcp: { 'Tcp.RetransSegs': 2 },
        unknown: { udp: '/proc/net/snmp did not tell them', queue: 'tc did not tell its counters' },
      },
    });
    expect(run.legs[0]?.steps[0]?.metrics).toMatchObject([{ name: 'shouts', value: 5, spread: { count: 1 } }]);
    expect(await lab.client.claim.count()).toBe(0);
  });

  it('is measured whole although the rules fail on it, and is diagnosed later', async () => {
    const replica = lab.replicas[0];
    if (!replica) throw new Error('no replica');
    const fault = vi.spyOn(replica.module.get(LegEvidences), 'of').mockRejectedValue(new RangeError('a rule is wrong'));
    try {
      const id = await lab.start({ paths: ['a-b'], tests: [scripted(1)] });
      const run = await lab.ended(id);
      expect(fault).toHaveBeenCalledOnce();
      expect(run).toMatchObject({ state: 'succeeded', legs: [{ state: 'succeeded', diagnosis: null }] });
      expect(run.legs[0]?.steps[0]).toMatchObject({ metrics: [{ value: 5 }], findings: [] });
      fault.mockRestore();
      await replica.execution.rediagnose(id, { store: true });
      const leg = await lab.client.leg.findFirstOrThrow({ where: { runId: id } });
      expect(leg.diagnosis).toMatchObject({ ruleSet: RULE_SET });
    } finally {
      fault.mockRestore();
    }
  });

  it('is diagnosed although it failed', async () => {
    scripts = [{ refuses: ended('tool-missing') }];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)] }));
    expect(run).toMatchObject({ state: 'failed', legs: [{ diagnosis: { ruleSet: RULE_SET } }] });
    const events = await lab.client.runEvent.findMany({
      where: { runId: run.id, type: 'leg' },
      orderBy: { seq: 'asc' },
    });
    expect(events.at(-1)?.data).toMatchObject({ state: 'failed', diagnosis: { ruleSet: RULE_SET } });
  });

  it('keeps artifacts byte for byte', async () => {
    const stdout = `ü ${'x'.repeat(1_000)}`;
    const phases = [{ name: 'test', stdout, floodBytes: 600_000 }];
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(1, {}, { phases })] });
    const run = await lab.ended(id);
    const attemptId = run.legs[0]?.steps[0]?.attempts.at(-1)?.id ?? '';
    const found = await lab.replicas[0]?.module.get(ArtifactStore).open(attemptId, 'near-test-sh.stdout');
    const chunks: Buffer[] = [];
    for await (const chunk of found?.body ?? []) chunks.push(Buffer.from(chunk));
    const bytes = Buffer.concat(chunks);
    expect(bytes.equals(Buffer.concat([Buffer.from(stdout), Buffer.alloc(600_000)]))).toBe(true);
    expect(found?.artifact.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('tells its story in events without gaps, the terminal one last', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(1), scripted(1)] });
    await lab.ended(id);
    const events = await lab.client.runEvent.findMany({ where: { runId: id }, orderBy: { seq: 'asc' } });
    expect(events.map((event) => event.seq)).toEqual(events.map((_, i) => i + 1));
    expect(events.map((event) => event.type).join(' ')).toBe(
      'run leg step attempt attempt step step attempt attempt step leg run',
    );
    expect(events.at(-1)?.data).toEqual({ state: 'succeeded', verdict: 'none' });
  });

  it('is acknowledged at the probes, which then forget it', async () => {
    const before = lab.probes.get('a')?.calls.filter((call) => call === 'acknowledge').length ?? 0;
    await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)] }));
    await until(
      'the acknowledgement',
      2_000,
      () => (lab.probes.get('a')?.calls.filter((call) => call === 'acknowledge').length ?? 0) > before,
    );
  });
});

describe('reading an attempt again', () => {
  const reparse = async (id: string, store = false) =>
    lab.replicas[0]?.execution.reparse(id, { store }) ?? Promise.reject(new Error('no replica'));
  const attemptsOf = (run: Awaited<ReturnType<Lab['ended']>>, step = 0) => run.legs[0]?.steps[step]?.attempts ?? [];

  it('from its stored bytes gives the record again, and changes nothing', async () => {
    const criteria = [{ metric: 'shouts', op: '>=', value: 5 }];
    const tests = [scripted(1, { measurement: 'scripted-served' })];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests, criteria }));
    const [attempt] = attemptsOf(run);
    const again = await reparse(attempt?.id ?? '');
    expect(again).toMatchObject({ stored: false, differences: [], moreDifferences: 0, before: again?.after });
    expect(again?.after).toMatchObject({ outcome: 'completed', metrics: [{ name: 'shouts', value: 5 }] });
  });

  it('shows what another parser made of it, and with store the record follows, up to the run', async () => {
    const phases = [{ name: 'test', stdout: 'hello' }];
    const tests = [{ ...scripted(1, {}, { phases }), repeats: 2 }];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests }));
    const [one, two] = attemptsOf(run);
    // As an older parser would have left it, which understood nothing.
    await lab.client.metric.updateMany({ where: { attemptId: one?.id }, data: { value: 3 } });
    await lab.client.attempt.update({
      where: { id: one?.id },
      data: { outcome: 'failed', reason: 'output-unreadable', notes: ['an old remark'], result: { printed: 3 } },
    });
    await lab.client.step.update({ where: { id: run.legs[0]?.steps[0]?.id }, data: { state: 'failed' } });
    await lab.client.leg.update({ where: { id: run.legs[0]?.id }, data: { state: 'failed' } });
    await lab.client.run.update({ where: { id: run.id }, data: { state: 'failed' } });
    const shown = await reparse(one?.id ?? '');
    expect(shown?.differences).toEqual([
      { path: '/outcome', before: 'failed', after: 'completed' },
      { path: '/reason', before: 'output-unreadable' },
      { path: '/metrics/shouts', before: 3, after: 5 },
      { path: '/notes', before: 'an old remark' },
      { path: '/result/printed', before: 3, after: 5 },
    ]);
    expect((await reparse(one?.id ?? '', true))?.stored).toBe(true);
    const stored = await lab.ended(run.id);
    expect(stored).toMatchObject({ state: 'succeeded', legs: [{ state: 'succeeded', reason: null }] });
    const [step] = stored.legs[0]?.steps ?? [];
    expect(step).toMatchObject({ state: 'succeeded', reason: null });
    expect(step?.metrics).toMatchObject([{ name: 'shouts', value: 5, spread: { min: 5, max: 5, count: 2 } }]);
    expect(step?.attempts[0]).toMatchObject({ outcome: 'completed', reason: null, metrics: [{ value: 5 }], notes: [] });
    expect(step?.attempts[1]).toMatchObject({ id: two?.id, outcome: 'completed', metrics: [{ value: 5 }] });
    expect((await reparse(one?.id ?? ''))?.differences).toEqual([]);
    // The record says so, and so do the events, of which the last is again that in which the run ends.
    expect(stored).toMatchObject({ reparsedBy: VERSION, reparsedAt: expect.any(Date) });
    const events = await lab.client.runEvent.findMany({ where: { runId: run.id }, orderBy: { seq: 'asc' } });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    expect(stored.lastEvent).toBe(events.length);
    const reparsed = { version: VERSION };
    expect(events.slice(-5).map(({ type, data }) => ({ type, data }))).toMatchObject([
      { type: 'run' },
      { type: 'attempt', data: { leg: 0, step: 0, attempt: 0, repeat: 1, outcome: 'completed', reparsed } },
      { type: 'step', data: { leg: 0, step: 0, state: 'succeeded', metrics: [{ value: 5 }], reparsed } },
      { type: 'leg', data: { leg: 0, state: 'succeeded', verdict: 'none', reparsed } },
      { type: 'run', data: { state: 'succeeded', verdict: 'none', reparsed } },
    ]);
  });

  it('leaves what somebody cancelled as it is', async () => {
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)] }));
    const [leg] = run.legs;
    await lab.client.step.updateMany({ where: { legId: leg?.id }, data: { state: 'cancelled' } });
    await lab.client.leg.update({ where: { id: leg?.id }, data: { state: 'cancelled', reason: 'run-cancelled' } });
    await lab.client.run.update({ where: { id: run.id }, data: { state: 'cancelled' } });
    await reparse(attemptsOf(run)[0]?.id ?? '', true);
    expect(await lab.document(run.id)).toMatchObject({
      state: 'cancelled',
      legs: [{ state: 'cancelled', reason: 'run-cancelled', steps: [{ state: 'cancelled' }] }],
    });
  });

  it('is refused with the reason where there is nothing to read, or nobody who can', async () => {
    scripts = [refuses('parameter-unsupported')];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1), scripted(1)] }));
    const [refused, good] = [attemptsOf(run)[0], attemptsOf(run, 1)[0]];
    await expect(reparse(refused?.id ?? '')).rejects.toMatchObject({
      code: 'not-reparsable',
      message: expect.stringMatching(/left any output/),
    });
    await lab.client.attempt.update({ where: { id: good?.id }, data: { tool: 'a-tool-of-tomorrow' } });
    await expect(reparse(good?.id ?? '')).rejects.toThrow(/does not measure scripted with a-tool-of-tomorrow/);
    await lab.client.attempt.update({ where: { id: good?.id }, data: { tool: 'sh', spec: { phases: 7 } } });
    await expect(reparse(good?.id ?? '')).rejects.toThrow(/cannot read what this attempt was asked to measure/);
    await lab.client.run.update({ where: { id: run.id }, data: { state: 'running' } });
    await expect(reparse(good?.id ?? '', true)).rejects.toThrow(/has not ended yet/);
    await lab.client.run.update({ where: { id: run.id }, data: { state: 'failed' } });
  });
});

describe('an attempt that is compared with the last one of its series', () => {
  const light = (stdout: string, more: Record<string, unknown> = {}) =>
    scripted(
      1,
      { kind: 'scripted-light', measurement: 'scripted-light', ...more },
      { phases: [{ name: 'test', stdout }] },
    );
  const since = (attempt: { result: unknown } | undefined): unknown => Object(attempt?.result).changes?.since;
  const measure = async (path: string, test: object) =>
    (await lab.ended(await lab.start({ paths: [path], tests: [{ kind: 'scripted-light', ...test }] }))).legs[0]
      ?.steps[0]?.attempts ?? [];

  it('has the last completed one of the same path before its step, and the same when it is read again', async () => {
    const [first] = await measure('a.e-b.e', light('1'));
    expect(since(first)).toBeNull();
    // Another path between the same probes, and an attempt that did not complete.
    await measure('b.e-a.e', light('12'));
    scripts = [refuses('parameter-unsupported')];
    await measure('a.e-b.e', light('123'));
    const repeats = await measure('a.e-b.e', light('1234', { repeats: 2 }));
    expect(repeats.map((attempt) => since(attempt))).toMatchObject(
      repeats.map(() => ({ attempt: first?.id, result: { printed: 1 } })),
    );
    const [last] = await measure('a.e-b.e', light('12345'));
    expect(since(last)).toMatchObject({ attempt: repeats[1]?.id });
    const again = await lab.replicas[0]?.execution.reparse(repeats[0]?.id ?? '', { store: false });
    expect(again?.differences).toEqual([]);
  });
});

describe('failures', () => {
  it('before any traffic are tried again, and every attempt is kept; a retry is no second sample', async () => {
    scripts = [refuses('probe-busy'), refuses('port-in-use')];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)] }));
    expect(run.state).toBe('succeeded');
    expect(outcomes(run)).toEqual([['probe-busy', 'port-in-use', 'completed']]);
    expect(run.legs[0]?.steps[0]?.attempts.map((a) => a.retryOf)).toEqual([null, 0, 1]);
    expect(run.legs[0]?.steps[0]?.metrics).toMatchObject([{ spread: { count: 1 } }]);
  });

  it('are tried at most three times', async () => {
    scripts = [refuses('probe-busy'), refuses('probe-busy'), refuses('probe-busy'), refuses('probe-busy')];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)] }));
    expect(outcomes(run)).toEqual([['probe-busy', 'probe-busy', 'probe-busy']]);
    expect(run.legs[0]).toMatchObject({ state: 'failed', reason: 'probe-busy' });
  });

  it('during a test are not, and do not stop the leg', async () => {
    scripts = [{ ending: ended('connection-reset') }];
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1), scripted(1)] }));
    expect(outcomes(run)).toEqual([['connection-reset'], ['completed']]);
    expect(run.legs[0]?.steps.map((step) => step.state)).toEqual(['failed', 'succeeded']);
    expect(run.state).toBe('failed');
  });

  it('stop the leg when the test says so', async () => {
    scripts = [{ ending: ended('tool-failed') }];
    const run = await lab.ended(
      await lab.start({ paths: ['a-b'], tests: [scripted(1, { onFailure: 'stop' }), scripted(1)] }),
    );
    expect(run.legs[0]?.steps.map((step) => [step.state, step.reason])).toEqual([
      ['failed', 'tool-failed'],
      ['skipped', 'earlier-step-failed'],
    ]);
  });

  it('that every repeat would share end the step at once', async () => {
    const spec = { phases: [{ name: 'test' }], needsTool: 'nuttcp' };
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1, { repeats: 5 }, spec)] }));
    expect(outcomes(run)).toEqual([['tool-missing']]);
  });

  it('of the plan itself (a kind that this version does not run) end the leg and nothing hangs', async () => {
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [{ kind: 'from-the-future' }] }));
    expect(run.legs[0]).toMatchObject({ state: 'failed', reason: 'internal-error' });
    expect(run.state).toBe('failed');
    await lab.client.claim.deleteMany();
  });
});

describe('a leg that cannot be read', () => {
  it('ends, and holds up no other', async () => {
    const bad = await lab.run({ paths: ['a-b'], tests: [scripted(1)], priority: 9 });
    await lab.client.leg.updateMany({ where: { runId: bad }, data: { pathDocument: { nonsense: true } } });
    const good = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)] }));
    expect(good.state).toBe('succeeded');
    expect((await lab.ended(bad)).legs[0]).toMatchObject({ state: 'failed', reason: 'internal-error' });
  });
});

describe('the two ends of a path', () => {
  it('may be two endpoints of one probe', async () => {
    const endpoints = [
      { name: 'e', address: '127.0.1.1', interface: 'eth0' },
      { name: 'f', address: '127.0.1.2', interface: 'eth1' },
    ];
    await lab.probe('solo', { endpoints });
    const tests = [scripted(20, { measurement: 'scripted-served' })];
    const run = await lab.ended(await lab.start({ paths: ['solo.e-solo.f'], tests }));
    expect(outcomes(run)).toEqual([['completed']]);
    const names = run.legs[0]?.steps[0]?.attempts[0]?.artifacts.map((artifact) => artifact.name);
    expect(names).toEqual(expect.arrayContaining(['near-test-sh.stdout', 'far-server-node.stdout']));
  });

  it('are checked before anything is asked of them', async () => {
    await lab.probe('moved');
    await lab.client.probe.update({
      where: { name: 'moved' },
      data: { endpoints: [{ name: 'e', address: '192.0.2.77', interface: 'eth0' }] },
    });
    const run = await lab.ended(await lab.start({ paths: ['a-moved'], tests: [scripted(1)] }));
    expect(outcomes(run)).toEqual([['endpoint-mismatch']]);
    expect(lab.probes.get('moved')?.calls).not.toContain('respond');
  });
});

describe('time', () => {
  it('is waited for until notBefore, and no longer', async () => {
    const notBefore = new Date(Date.now() + 1_500);
    const run = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)], notBefore }));
    const lateMs = (run.startedAt?.getTime() ?? 0) - notBefore.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(1_000);
  });

  it('ends a leg that could not start by notAfter', async () => {
    const busy = await lab.start({ paths: ['a-b'], tests: [scripted(2_000)] });
    const notAfter = new Date(Date.now() + 500);
    const late = await lab.ended(await lab.start({ paths: ['a-b'], tests: [scripted(1)], notAfter }), 5_000);
    expect(late.legs[0]).toMatchObject({ state: 'failed', reason: 'not-started-in-time' });
    expect(late.legs[0]?.steps[0]).toMatchObject({ state: 'skipped', reason: 'not-started-in-time', attempts: [] });
    expect((await lab.document(busy)).state).toBe('running');
    expect((await lab.ended(busy)).state).toBe('succeeded');
  });
});

describe('cancelling', () => {
  it('ends what waits at once and what runs within a second', async () => {
    const tests = [scripted(8_000, { measurement: 'scripted-served' }), scripted(1)];
    const running = await lab.start({ paths: ['a-b'], tests });
    const waiting = await lab.start({ paths: ['a-b'], tests: [scripted(1)] });
    await until(
      'the program to run',
      5_000,
      async () => (await lab.document(running)).legs[0]?.steps[0]?.attempts[0]?.commands?.toString() !== '',
    );
    await sleep(300);
    await lab.replicas[0]?.execution.cancelRun(waiting);
    const ended = await lab.document(waiting);
    expect(ended).toMatchObject({ state: 'cancelled', legs: [{ state: 'cancelled', reason: 'run-cancelled' }] });
    expect(ended.legs[0]?.steps[0]).toMatchObject({ state: 'cancelled', reason: 'run-cancelled' });

    const began = performance.now();
    await lab.replicas[0]?.execution.cancelRun(running);
    const run = await lab.ended(running, 5_000);
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(outcomes(run)).toEqual([['cancelled-by-user'], []]);
    expect(run.legs[0]?.steps.map((step) => step.state)).toEqual(['cancelled', 'cancelled']);
    expect(run.state).toBe('cancelled');
    const artifacts = run.legs[0]?.steps[0]?.attempts[0]?.artifacts.map((artifact) => artifact.name);
    expect(artifacts).toContain('near-test-sh.stdout');
    expect(await lab.client.claim.count()).toBe(0);
  });
});

describe('redelivery', () => {
  it('of a job walks nothing twice', async () => {
    const id = await lab.start({ paths: ['a-b'], tests: [scripted(600)] });
    const leg = await lab.client.leg.findFirstOrThrow({ where: { runId: id } });
    const walker = lab.replicas[0]?.module.get(LegWalker);
    const began = lab.probes.get('a')?.started.length ?? 0;
    // Ends: 20 deliveries.
    for (let i = 0; i < 20; i++) {
      void walker?.advance(leg.id);
      await sleep(20);
    }
    const run = await lab.ended(id);
    await walker?.advance(leg.id);
    expect(outcomes(run)).toEqual([['completed']]);
    expect((lab.probes.get('a')?.started.length ?? 0) - began).toBeLessThanOrEqual(1);
    expect((await lab.document(id)).legs[0]?.steps[0]?.attempts).toHaveLength(1);
  });
});

describe('a far probe that is away', () => {
  it('fails a heavy test with its reason, and not a light one that has a standing grant', async () => {
    const light = { ...scripted(5), kind: 'scripted-light', measurement: 'scripted-light' };
    const c = await lab.probe('c');
    const good = await lab.ended(await lab.start({ paths: ['a-c'], tests: [light] }));
    expect(outcomes(good)).toEqual([['completed']]);
    await until(
      'the standing grant to be kept',
      2_000,
      async () => (await lab.client.standingGrant.count({ where: { probeName: 'c' } })) === 1,
    );
    await c.die();
    const began = performance.now();
    const run = await lab.ended(await lab.start({ paths: ['a-c'], tests: [light, scripted(5)] }));
    expect(outcomes(run)?.[0]).toEqual(['completed']);
    expect(outcomes(run)?.[1]).toEqual(Array(3).fill('far-probe-unreachable'));
    expect(performance.now() - began).toBeLessThan(12_000);
    await c.revive();
  });

  it('and a near one as well', async () => {
    const d = await lab.probe('d');
    await d.die();
    const run = await lab.ended(await lab.start({ paths: ['d-b'], tests: [scripted(5, { repeats: 4 })] }));
    expect(outcomes(run)).toEqual([Array(3).fill('probe-unreachable')]);
    expect(run.state).toBe('failed');
  });
});

describe('a path or probe that is gone', () => {
  it('fails the leg before anything is sent', async () => {
    const id = await lab.run({ paths: ['a-b'], tests: [scripted(1)], notBefore: new Date(Date.now() + 300) });
    await lab.client.path.deleteMany({ where: { name: 'a-b' } });
    await lab.replicas[0]?.execution.poke();
    const run = await lab.ended(id);
    expect(run.legs[0]).toMatchObject({ state: 'failed', reason: 'path-gone' });
    expect(run.legs[0]?.steps[0]).toMatchObject({ state: 'skipped', reason: 'path-gone' });
  });
});
