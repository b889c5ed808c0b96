import { describe, expect, test } from 'vitest';
import { cpuCountersOf, cpuQuotaOf } from './cpu.js';
import type { Facts } from './facts.js';

const facts = (texts: Readonly<Record<string, string>>): Facts => ({
  text: (key) => texts[key],
  keys: Object.keys(texts),
  misread: () => undefined,
});

describe('CPU time of a host', () => {
  // Form: fs/proc/stat.c, show_stat; numbers of our own. Ticks are 10 ms.
  const stat =
    'cpu  100 2 30 400 5 0 7 1 0 0\ncpu0 60 1 20 200 3 0 7 1 0 0\ncpu1 40 1 10 200 2 0 0 0 0 0\nintr 12 0 0\nctxt 9\n';

  test('all together and each, in milliseconds', () => {
    const read = cpuCountersOf(facts({ 'file./proc/stat': stat }));
    expect(read).toMatchObject({ 'cpu.userMs': 1000, 'cpu.idleMs': 4000, 'cpu0.softirqMs': 70, 'cpu1.systemMs': 100 });
    expect(Object.keys(read ?? {}).filter((name) => name.startsWith('group'))).toEqual([]);
  });

  test('an old kernel has fewer columns: those are unknown, not 0', () => {
    expect(cpuCountersOf(facts({ 'file./proc/stat': 'cpu  100 2 30 400\n' }))).toEqual({
      'cpu.userMs': 1000,
      'cpu.niceMs': 20,
      'cpu.systemMs': 300,
      'cpu.idleMs': 4000,
    });
  });

  test.each([
    // Form: kernel/sched/core.c, cpu_extra_stat_show (v2) and cpu_cfs_stat_show (v1).
    ['v2', 'usage_usec 900000\nnr_periods 50\nnr_throttled 12\nthrottled_usec 345000\n'],
    ['v1', 'nr_periods 50\nnr_throttled 12\nthrottled_time 345000000\n'],
  ])('held back by its group, cgroup %s', (_version, text) => {
    expect(cpuCountersOf(facts({ 'file.cgroup/cpu.stat': text }))).toEqual({
      'group.throttledPeriods': 12,
      'group.throttledMs': 345,
    });
  });

  test('nothing that could be read is unknown', () => {
    expect(cpuCountersOf(facts({}))).toBeUndefined();
    expect(cpuCountersOf(facts({ 'file./proc/stat': 'nonsense' }))).toBeUndefined();
  });

  test.each([
    [{ 'file.cgroup/cpu.max': '50000 100000' }, 0.5],
    [{ 'file.cgroup/cpu.max': 'max 100000' }, undefined],
    [{ 'file.cgroup/cpu.cfs_quota_us': '250000', 'file.cgroup/cpu.cfs_period_us': '100000' }, 2.5],
    [{ 'file.cgroup/cpu.cfs_quota_us': '-1', 'file.cgroup/cpu.cfs_period_us': '100000' }, undefined],
    [{}, undefined],
  ])('quota of %j is %s CPUs', (texts, quota) => {
    expect(cpuQuotaOf(facts(texts))).toBe(quota);
  });
});
