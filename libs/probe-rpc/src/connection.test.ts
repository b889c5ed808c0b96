import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended } from '@plumbline/model';
import { afterAll, expect, test } from 'vitest';
import {
  connectProbe,
  ourMistake,
  type ProbeServiceImplementation,
  refusalStatus,
  serveProbe,
  unknownAttempt,
} from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-rpc-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let n = 0;
const fresh = (): string => {
  n += 1;
  return `unix:${join(folder, `${n}.sock`)}`;
};
const pathOf = (address: string): string => address.slice('unix:'.length);

const calls: ProbeServiceImplementation = {
  inventory: async () => ({ name: 'x' }),
  snapshot: () => new Promise(() => {}),
  respond: async (_request, context) => {
    throw refusalStatus(ended('fence-stale', 'Too late.'), context);
  },
  async *execute(request) {
    if (request.attachOnly) throw unknownAttempt(request.claim?.attemptId ?? '');
    yield { sequence: 1n, event: { $case: 'sample', value: { tool: 'ss', text: 't', elapsedMs: 1 } } };
    await new Promise(() => {});
  },
  stop: async () => {
    throw ourMistake();
  },
  acknowledge: async () => ({}),
  listAttempts: async () => ({}),
};

async function withProbe(
  work: (probe: ReturnType<typeof connectProbe>, address: string) => Promise<void>,
): Promise<void> {
  const address = fresh();
  const served = await serveProbe({ address, implementation: calls });
  const probe = connectProbe({ address, name: 'x' });
  try {
    await work(probe, address);
  } finally {
    probe.close();
    await served.close(0);
  }
}

test('every kind of failure is a ProbeCallError with its problem and reason', async () => {
  await withProbe(async (probe) => {
    await expect(probe.respond({})).rejects.toMatchObject({
      problem: 'refused',
      reason: 'fence-stale',
      message: 'Too late.',
    });
    await expect(probe.snapshot({}, { deadlineMs: 100 })).rejects.toMatchObject({
      problem: 'unreachable',
      reason: 'probe-unreachable',
    });
    await expect(probe.snapshot({}, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      problem: 'cancelled',
    });
    await expect(probe.stop({})).rejects.toMatchObject({ problem: 'internal', reason: 'internal-error' });
    await expect(probe.execute({ attachOnly: true }).next()).rejects.toMatchObject({ problem: 'not-found' });
    const tooLong = { spec: { kind: 'k', schemaVersion: 1, specJson: 'x'.repeat(2 << 20) } };
    await expect(probe.respond(tooLong)).rejects.toMatchObject({ problem: 'invalid' });
  });
  const nobody = connectProbe({ address: fresh(), name: 'x' });
  await expect(nobody.inventory({})).rejects.toMatchObject({ problem: 'unreachable', reason: 'probe-unreachable' });
  nobody.close();
});

test('a stream that falls silent is given up; what came before is kept', async () => {
  await withProbe(async (probe) => {
    const events: unknown[] = [];
    const listen = async () => {
      for await (const event of probe.execute({}, { silenceMs: 300 })) events.push(event.event?.$case);
    };
    await expect(listen()).rejects.toMatchObject({
      problem: 'unreachable',
      message: expect.stringContaining('300 ms'),
    });
    expect(events).toEqual(['sample']);
  });
});

test('a connection comes back by itself when the probe does', async () => {
  const address = fresh();
  const probe = connectProbe({ address, name: 'x' });
  await expect(probe.inventory({})).rejects.toMatchObject({ problem: 'unreachable' });
  const served = await serveProbe({ address, implementation: calls });
  const until = performance.now() + 10_000;
  let name = '';
  while (name === '' && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    name = (await probe.inventory({}).catch(() => ({ name: '' }))).name;
  }
  expect(name).toBe('x');
  probe.close();
  await served.close(0);
});

test('the socket is for its user alone; a stale one is replaced, a living one and a file are not', async () => {
  const address = fresh();
  const stale = createServer();
  await new Promise<void>((resolve) => stale.listen(`${pathOf(address)}.bound`, resolve));
  const { renameSync } = await import('node:fs');
  renameSync(`${pathOf(address)}.bound`, pathOf(address));
  await new Promise((resolve) => stale.close(resolve));
  const served = await serveProbe({ address, implementation: calls });
  expect(statSync(pathOf(address)).mode & 0o777).toBe(0o600);
  await expect(serveProbe({ address, implementation: calls })).rejects.toThrow('Another process listens');
  await served.close(0);
  expect(() => statSync(pathOf(address))).toThrow('ENOENT');
  writeFileSync(pathOf(address), 'mine');
  await expect(serveProbe({ address, implementation: calls })).rejects.toThrow('is not a socket');
});

test('TCP without certificates is refused on both sides, with a sentence', async () => {
  expect(() => connectProbe({ address: '127.0.0.1:1', name: 'x' })).toThrow('needs TLS');
  await expect(serveProbe({ address: '127.0.0.1:45999', implementation: calls })).rejects.toThrow('plumb probe enrol');
});

test('closing ends calls that run, and says so to health before', async () => {
  const address = fresh();
  const served = await serveProbe({ address, implementation: calls });
  const probe = connectProbe({ address, name: 'x' });
  expect(await probe.health()).toBe(true);
  const hanging = probe.snapshot({}, { deadlineMs: 10_000 });
  const refused = expect(hanging).rejects.toMatchObject({ problem: 'unreachable' });
  const before = performance.now();
  await served.close(200);
  await refused;
  expect(performance.now() - before).toBeLessThan(5000);
  probe.close();
});
