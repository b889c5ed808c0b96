import { readFileSync } from 'node:fs';

export interface CpuTime {
  userUs: number;
  systemUs: number;
}

/** proc(5): times are in clock ticks, and Linux shows 100 of them a second to every program (USER_HZ). */
const TICK_US = 10_000;

let before: CpuTime | undefined;
let waiting: ((time: CpuTime | undefined) => void)[] = [];

/** CPU time of all children that this process has waited for: cutime and cstime, fields 16 and 17 of /proc/self/stat. */
function readReaped(): CpuTime | undefined {
  try {
    const text = readFileSync('/proc/self/stat', 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { userUs: Number(fields[13]) * TICK_US, systemUs: Number(fields[14]) * TICK_US };
  } catch {
    return undefined;
  }
}

/** Call before a child is started, so that the first difference has a beginning. */
export function beginCpuAccounting(): void {
  before ??= readReaped();
}

/**
 * CPU time of the child whose `exit` event is being handled, with that of the children it waited for.
 * Node does not hand out wait4's rusage, but libuv reaps only inside the event loop: what the kernel's sum grew by since
 * the last child is this child's. When several were reaped in one turn their shares cannot be told apart: undefined.
 */
export function cpuTimeOfReaped(): Promise<CpuTime | undefined> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    // All exit events of one turn come before its setImmediate, so this ends in the same turn.
    if (waiting.length === 1) setImmediate(settle);
  });
}

function settle(): void {
  const [asked, start, now] = [waiting, before, readReaped()];
  waiting = [];
  before = now;
  const one = asked.length === 1 && start !== undefined && now !== undefined;
  const time = one ? { userUs: now.userUs - start.userUs, systemUs: now.systemUs - start.systemUs } : undefined;
  for (const resolve of asked) resolve(time);
}
