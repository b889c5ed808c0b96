import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { liveMembers } from './identity.js';
import { endOrphans, identifyProcess, isAlive, type ProcessIdentity, startProcess } from './index.js';

const folder = mkdtempSync(join(tmpdir(), 'plumb-orphan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Waits until `condition` holds, at most 10 s. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it did not happen within 10 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const identityOf = (pid: number | null): ProcessIdentity => {
  const identity = pid === null ? undefined : identifyProcess(pid);
  if (!identity) throw new Error('the process is not there');
  return identity;
};

describe('when our own process dies', () => {
  /** A parent of its own (it runs what was built) with two children; prints their pids and waits. */
  const parent = (end: string): ReturnType<typeof startProcess> & { pids: Promise<number[]> } => {
    const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));
    const script = `const { startProcess } = await import(${JSON.stringify(built)});
      const a = startProcess({ argv: ['sleep', '300'] });
      const b = startProcess({ argv: ['sh', '-c', 'trap "" TERM; sleep 300; sleep 300'] });
      console.log(a.pid, b.pid);
      ${end}`;
    let told: (pids: number[]) => void;
    const pids = new Promise<number[]>((resolve) => {
      told = resolve;
    });
    const running = startProcess({
      argv: [process.execPath, '--input-type=module', '-e', script],
      timeoutMs: 15_000,
      onStdout: (chunk) => told(chunk.toString().trim().split(' ').map(Number)),
    });
    return { ...running, pids };
  };

  test('SIGKILL of the parent kills its children', async () => {
    const running = parent('setInterval(() => {}, 1000);');
    const children = (await running.pids).map(identityOf);
    expect(children.map(isAlive)).toEqual([true, true]);
    process.kill(running.pid ?? 0, 'SIGKILL');
    expect(await running.result).toMatchObject({ signal: 'SIGKILL' });
    await until(() => !children.some(isAlive));
    // The kernel kills the leader only; what it left in its group is for endOrphans.
    await endOrphans(children);
    expect(children.flatMap(({ pid }) => liveMembers(pid))).toEqual([]);
  });

  test('an orderly exit ends whole groups', async () => {
    const running = parent('setTimeout(() => process.exit(0), 200);');
    const groups = await running.pids;
    expect(await running.result).toMatchObject({ exitCode: 0 });
    await until(() => groups.every((group) => liveMembers(group).length === 0));
  });
});

describe('endOrphans', () => {
  test('ends what is written down, leader or not, and says how many (C9)', async () => {
    const withLeader = startProcess({ argv: ['sh', '-c', 'trap "" TERM; sleep 300; sleep 300'] });
    const identity = identityOf(withLeader.pid);
    expect(await endOrphans([identity])).toBe(1);
    expect(isAlive(identity)).toBe(false);
    expect(await withLeader.result).toMatchObject({ signal: 'SIGKILL' });
    expect(await endOrphans([identity])).toBe(0);
  });

  test('never touches a process that only has the same pid (C9)', async () => {
    const running = startProcess({ argv: ['sleep', '300'] });
    const identity = identityOf(running.pid);
    const earlier = { ...identity, startTicks: identity.startTicks - 1 };
    const otherBoot = { ...identity, bootId: '00000000-0000-0000-0000-000000000000' };
    expect(await endOrphans([earlier, otherBoot])).toBe(0);
    expect([isAlive(identity), isAlive(earlier), isAlive(otherBoot)]).toEqual([true, false, false]);
    await running.stop();
    expect(isAlive(identity)).toBe(false);
  });
});
