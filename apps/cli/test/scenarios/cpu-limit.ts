import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

const PERIOD_US = 50_000;

/**
 * Holds processes, and what they start from now on, to a share of one CPU (cgroups(7), the cpu controller of v1 or v2). They go back
 * where they were when it is disposed of.
 */
export class CpuLimit implements Disposable {
  private constructor(
    private readonly folder: string,
    private readonly home: string,
  ) {}

  /** @throws {Error} where the machine has no cpu controller that we may use */
  static of(pid: number, quota: number): CpuLimit {
    const one = existsSync('/sys/fs/cgroup/cpu/cpu.cfs_quota_us');
    const home = one ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup';
    const folder = `${home}/plumb-lab-${process.pid}`;
    mkdirSync(folder, { recursive: true });
    const quotaUs = Math.round(quota * PERIOD_US);
    if (one) {
      writeFileSync(`${folder}/cpu.cfs_period_us`, String(PERIOD_US));
      writeFileSync(`${folder}/cpu.cfs_quota_us`, String(quotaUs));
    } else writeFileSync(`${folder}/cpu.max`, `${quotaUs} ${PERIOD_US}`);
    const limit = new CpuLimit(folder, home);
    for (const each of [pid, ...descendants(pid)]) moveTo(folder, each);
    return limit;
  }

  [Symbol.dispose](): void {
    for (const pid of readFileSync(`${this.folder}/cgroup.procs`, 'utf8').split('\n').filter(Boolean))
      moveTo(this.home, Number(pid));
    rmdirSync(this.folder);
  }
}

function moveTo(folder: string, pid: number): void {
  try {
    writeFileSync(`${folder}/cgroup.procs`, String(pid));
  } catch {
    // It has ended meanwhile.
  }
}

/** What a process has started and what these have, as of now (proc_pid_task(5)). */
function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}
