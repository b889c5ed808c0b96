import { metricValue } from '@plumbline/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptOf, metricsOf, NEAR_ROUTER, notesOf, routerRule, way } from './reading.js';
import { SERVER, SeedPath } from './seed-path.js';

let seed: SeedPath;
beforeAll(async () => {
  seed = await SeedPath.start('mtu');
});
afterAll(() => seed?.stop());

const rule = (what: 'add' | 'del', ...words: string[]) => routerRule(seed, what, ...words);

describe('path-mtu', () => {
  test('of a path without a narrow place is at least what was tried, each way', async () => {
    const run = await seed.measure({ kind: 'path-mtu' });
    for (const direction of ['forward', 'reverse'] as const) {
      expect(way(run, 'path-mtu', direction)).toBe(1500);
      expect(way(run, 'black-hole', direction)).toBe(0);
    }
    expect(attemptOf(run, 1)).toMatchObject({ startsAt: 'far' });
  });

  test('a lowered MTU is named by the hop that says so, one way only; bare ping and tracepath agree', async () => {
    await seed.exec('router', ['ip', 'link', 'set', 'wan2', 'mtu', '1400']);
    try {
      const run = await seed.measure({ kind: 'path-mtu' });
      expect(way(run, 'path-mtu', 'forward')).toBe(1400);
      expect(way(run, 'black-hole', 'forward')).toBe(0);
      expect(notesOf(run)).toContain(`${NEAR_ROUTER} says that packets above 1400 bytes do not fit`);
      expect(way(run, 'path-mtu', 'reverse')).toBe(1500);
      expect(await seed.exec('client', ['tracepath', '-n', '-m', '5', SERVER])).toMatch(/pmtu 1400/);
      const ping = (sizeBytes: number) =>
        seed.exec('client', ['ping', '-n', '-M', 'do', '-c', '1', '-W', '1', '-s', String(sizeBytes - 28), SERVER]);
      expect(await ping(1400)).toContain('1 received');
      expect(await ping(1401)).toContain('0 received');
    } finally {
      await seed.exec('router', ['ip', 'link', 'set', 'wan2', 'mtu', '1500']);
      await seed.exec('client', ['ip', 'route', 'flush', 'cache']);
    }
  });

  test('a black hole is found to the byte, though nobody says anything', async () => {
    await seed.set(2, 'ab', { command: 'maxlen', sizeBytes: 1437 });
    try {
      const run = await seed.measure({ kind: 'path-mtu', direction: 'forward', echoes: 2 }, { forMs: 90_000 });
      expect(metricValue(run, 0, 'path-mtu')).toBe(1437);
      expect(metricValue(run, 0, 'path-mtu.refused')).toBe(1438);
      expect(metricValue(run, 0, 'black-hole')).toBe(1);
      expect(notesOf(run)).toContain('no hop says so');
    } finally {
      await seed.set(2, 'ab', { command: 'maxlen', sizeBytes: 0 });
    }
  });

  test('filtered echoes are no black hole: nobody knows, unless another method does', async () => {
    await rule('add', 'ipproto', 'icmp', 'blackhole');
    try {
      const run = await seed.measure({ kind: 'path-mtu', direction: 'forward', echoes: 1 });
      const mtu = metricsOf(run).find(({ name }) => name === 'path-mtu');
      expect(mtu).toMatchObject({ value: null, reason: 'no-reply' });
      expect(notesOf(run)).toContain('not even small echoes are answered');
    } finally {
      await rule('del', 'ipproto', 'icmp', 'blackhole');
    }
  });

  test('over IPv6 the hop says so too', async () => {
    if (!seed.hasIpv6) return;
    await seed.exec('router', ['ip', 'link', 'set', 'wan2', 'mtu', '1400']);
    try {
      const run = await seed.measure({ kind: 'path-mtu', direction: 'forward' }, { path: seed.path6 });
      expect(metricValue(run, 0, 'path-mtu')).toBe(1400);
    } finally {
      await seed.exec('router', ['ip', 'link', 'set', 'wan2', 'mtu', '1500']);
      await seed.exec('client', ['ip', '-6', 'route', 'flush', 'cache']);
    }
  });
});
