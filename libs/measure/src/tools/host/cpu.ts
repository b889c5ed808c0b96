import type { Facts } from './facts.js';

/** Columns of a `cpu` line of /proc/stat (proc_stat(5)), in ticks of 10 ms: USER_HZ is 100 on every architecture. */
const COLUMNS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal'];
const MS_PER_TICK = 10;

/** /proc/stat, and cpu.stat of the probe's own group: `cpu.idleMs`, `cpu0.softirqMs`, `group.throttledMs`, ... */
export function cpuCountersOf(facts: Facts): Record<string, number> | undefined {
  const lines = [...(facts.text('file./proc/stat') ?? '').matchAll(/^(cpu\d*)\s+(.+)$/gm)];
  const host = lines.flatMap(([, name = '', values = '']) => {
    const ticks = values.split(' ').map(Number);
    return COLUMNS.map((column, i) => [`${name}.${column}Ms`, (ticks[i] ?? Number.NaN) * MS_PER_TICK] as const);
  });
  const stat = facts.text('file.cgroup/cpu.stat');
  const group = [
    ['group.throttledPeriods', countOf(stat, 'nr_throttled')],
    // cgroup v2 has microseconds, v1 nanoseconds (Documentation/scheduler/sched-bwc.rst).
    ['group.throttledMs', countOf(stat, 'throttled_usec') / 1e3],
    ['group.throttledMs', countOf(stat, 'throttled_time') / 1e6],
  ] as const;
  const known = [...host, ...group].flatMap(([name, value]) =>
    Number.isFinite(value) ? [[name, Math.round(value)] as const] : [],
  );
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** CPUs' worth of time that the probe's own group may use: `cpu.max` of cgroup v2, `cpu.cfs_*` of v1. Unlimited is undefined. */
export function cpuQuotaOf(facts: Facts): number | undefined {
  const two = (facts.text('file.cgroup/cpu.max') ?? '').split(/\s+/);
  const one = [facts.text('file.cgroup/cpu.cfs_quota_us'), facts.text('file.cgroup/cpu.cfs_period_us')];
  const [quota = Number.NaN, period = Number.NaN] = (two.length === 2 ? two : one).map(Number);
  return quota > 0 && period > 0 ? quota / period : undefined;
}

const countOf = (stat: string | undefined, key: string): number => {
  const line = stat?.split('\n').find((text) => text.startsWith(`${key} `));
  return line === undefined ? Number.NaN : Number(line.slice(key.length + 1));
};
