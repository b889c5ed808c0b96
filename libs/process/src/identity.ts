import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

/** Names one process for ever: a pid alone is used again. `startTicks` is field 22 of /proc/PID/stat (proc(5)), since the boot. */
export const ProcessIdentity = z.object({
  pid: z.int().positive(),
  startTicks: z.int().nonnegative(),
  bootId: z.string(),
});
export type ProcessIdentity = z.output<typeof ProcessIdentity>;

interface Stat {
  state: string;
  group: number;
  startTicks: number;
}

/** The fields after the command, which may itself hold spaces and parentheses. Undefined: no such process. */
function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '?', group: Number(fields[2]), startTicks: Number(fields[19]) };
}

let bootId: string | undefined;
/** Differs after every boot (random(4)). */
export const currentBootId = (): string => {
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return bootId;
};

/** What to write down about a process so that a later life of ours can end it. Undefined: it is gone. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat && { pid, startTicks: stat.startTicks, bootId: currentBootId() };
}

/** Whether exactly that process still runs (a zombie does not). */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== currentBootId()) return false;
  const stat = readStat(identity.pid);
  return stat !== undefined && stat.startTicks === identity.startTicks && stat.state !== 'Z' && stat.state !== 'X';
}

/** Pids of the process group `group` that still run. */
export function liveMembers(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = readStat(pid);
      return stat?.group === group && stat.state !== 'Z' && stat.state !== 'X';
    });
}

/**
 * Ends what an earlier life of ours left running, by pid and start time, never by name: each process that `startProcess`
 * started leads its own group, and the group is killed. The kernel gives no pid away while a group of that number
 * lives, so that a group without its leader is still ours in the same boot, unless the number names another process.
 * @returns how many groups were found alive
 */
export async function endOrphans(left: readonly ProcessIdentity[], waitMs = 2000): Promise<number> {
  const ours = left.filter((identity) => isOurGroup(identity));
  for (const { pid } of ours) signalGroup(pid, 'SIGKILL');
  const until = performance.now() + waitMs;
  // Ends when every group is gone, at the latest after waitMs.
  while (performance.now() < until && ours.some(({ pid }) => liveMembers(pid).length > 0)) await delay(10);
  return ours.length;
}

function isOurGroup({ pid, startTicks, bootId: boot }: ProcessIdentity): boolean {
  if (boot !== currentBootId()) return false;
  const leader = readStat(pid);
  if (leader && leader.startTicks !== startTicks) return false;
  return liveMembers(pid).length > 0;
}

/** @returns false when the group has no member any more */
export function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(-group, signal);
  } catch {
    return false;
  }
}
